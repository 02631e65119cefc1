import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { buildGoCommand, runWithGo } from "./go.ts";

describe("runWithGo()", () => {
  it("gives input, reports lines as they come, and tells how it ended", async () => {
    const lines: string[] = [];
    const script =
      'process.stdin.on("data", (d) => process.stdout.write(d)).on("end", () => { console.error("a\\nb"); process.exitCode = 3; })';
    const result = await runWithGo(process.execPath, ["-e", script], {
      cwd: tmpdir(),
      input: "hello",
      report: (line) => lines.push(line),
    });
    assert.deepEqual(result, { exitCode: 3, stdout: "hello", stderr: "a\nb" });
    assert.deepEqual(lines, ["a", "b"]);
  });

  it("outlives a command that does not read its input", async () => {
    const input = "x".repeat(1_000_000);
    const result = await runWithGo(process.execPath, ["-e", "process.exit(1)"], { cwd: tmpdir(), input });
    assert.equal(result.exitCode, 1);
  });
});

describe("buildGoCommand()", function () {
  this.timeout(60_000);
  let folder: string;
  let oldPath: string | undefined;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "go-"));
    oldPath = process.env["PATH"];
  });
  afterEach(async () => {
    if (oldPath !== undefined) process.env["PATH"] = oldPath;
    await rm(folder, { recursive: true, force: true });
  });

  it("says what to install when there is no Go", async () => {
    process.env["PATH"] = folder;
    await assert.rejects(
      buildGoCommand(folder, "thing", path.join(folder, "thing"), () => {}),
      /^CodegenError: Go was not found\. .*install Go 1\.26 or newer \(https:\/\/go\.dev\/dl\/\)/,
    );
  });

  it("passes on what the compiler says", async () => {
    await writeFile(path.join(folder, "go.mod"), "module example.com/broken\n\ngo 1.26\n");
    await assert.rejects(
      buildGoCommand(folder, "thing", path.join(folder, "thing"), () => {}),
      /^CodegenError: thing cannot be built:\n[^]*cmd\/thing/,
    );
  });
});
