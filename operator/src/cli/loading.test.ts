import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const main = fileURLToPath(new URL("../main.ts", import.meta.url));
/** Says at the end which modules were loaded, on standard error. */
const listing = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from "node:module";
  const urls = [];
  registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
  process.on("exit", () => process.stderr.write(urls.join("\\n")));
`)}`;

describe("what a command loads", function () {
  this.timeout(60_000);
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "gatewright-loading-"));
    await writeFile(
      join(folder, "class.yaml"),
      "{ apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: { name: a }, spec: { controllerName: a.example/b } }\n",
    );
  });
  after(() => rm(folder, { recursive: true }));

  it("check starts nothing, and so loads nothing that serves, writes or runs Envoys", async () => {
    const args = ["--conditions=source", `--import=${listing}`, main, "check", folder];
    const { stderr } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1 << 24 });
    assert.match(stderr, /operator\/src\/gatewayapi\/index\.ts/);
    const needless = stderr
      .split("\n")
      .filter((url) =>
        /operator\/src\/(standalone|ads|reconcile|writer|operator)\/|@grpc\/grpc-js|client-node/.test(url),
      );
    assert.deepEqual(needless, []);
  });
});
