// What is loaded is paid for at each start, in time and for good in memory.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";

const program = `
import { registerHooks } from "node:module";
const loaded = [];
registerHooks({
  load: (url, context, next) => {
    loaded.push(url);
    return next(url, context);
  },
});
await import(${JSON.stringify(path.join(import.meta.dirname, "index.ts"))});
console.log(loaded.join("\\n"));
`;

describe("what an operator loads", function () {
  this.timeout(30_000);
  let loaded: readonly string[];
  before(async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--conditions=source", "--input-type=module", "--eval", program],
      { maxBuffer: 2 ** 24 },
    );
    loaded = stdout.trim().split("\n");
    assert.ok(loaded.some((url) => url.includes("/@bufbuild/protobuf/")));
  });

  for (const name of ["yaml", "js-yaml", "@kubernetes/client-node", "commander"])
    it(`has no ${name} in it, which a pod has no use for`, () => {
      assert.deepEqual(
        // Not those that another library brings for itself.
        loaded.filter((url) => url.split("/node_modules/")[1]?.startsWith(`${name}/`)),
        [],
      );
    });
});
