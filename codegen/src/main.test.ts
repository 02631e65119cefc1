import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import path from "node:path";

const run = (...args: readonly string[]) =>
  spawnSync(process.execPath, [path.join(import.meta.dirname, "main.ts"), ...args], { encoding: "utf8" });

describe("npm run generate", () => {
  it("explains itself", () => {
    const { status, stdout } = run("--help");
    assert.equal(status, 0);
    assert.match(stdout, /^Usage: npm run generate \[-- --force\]/);
  });

  it("refuses what it does not know", () => {
    const { status, stderr } = run("--forse");
    assert.equal(status, 2);
    assert.match(stderr, /^Unknown argument --forse\.\n\nUsage/);
  });
});
