import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { envoyBinary } from "../support/envoy.ts";

describe("npm run demo", function () {
  this.timeout(120_000);

  it("shows what it promises, ends by itself and leaves nothing behind", async () => {
    await envoyBinary();
    const folders = async () => (await readdir(tmpdir())).filter((name) => name.startsWith("gatewright-demo-"));
    const before = await folders();
    const program = fileURLToPath(new URL("demo.ts", import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, ["--conditions=source", program]);
    assert.match(stdout, /GET \/ .* 200 from blue/);
    assert.match(stdout, /GET \/cart with x-tenant: acme .* logged as: \/cart tenant=acme/);
    assert.match(stdout, /GET \/ .* 200 from green, \d+ ms after the file was saved/);
    assert.match(stdout, /All as expected/);
    assert.deepEqual(await folders(), before);
  });
});
