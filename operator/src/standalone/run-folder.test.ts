import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createRunFolder, openOutputPipe, removeRunFolder } from "./run-folder.ts";

describe("createRunFolder()", () => {
  it("makes a folder that nobody else can enter", async () => {
    const folder = await createRunFolder({});
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    await removeRunFolder(folder);
    assert(!existsSync(folder));
  });

  it("passes by places where the path of a socket would be too long, or that cannot be written", async () => {
    const base = await mkdtemp(join(tmpdir(), "gw-run-"));
    for (const place of [join(base, "x".repeat(80)), join(base, "missing")]) {
      const folder = await createRunFolder({ XDG_RUNTIME_DIR: place });
      assert.notEqual(dirname(folder), place);
      await removeRunFolder(folder);
    }
    await rm(base, { recursive: true });
  });
});

describe("openOutputPipe()", () => {
  it("hands over lines of children, also of those that open /dev/stdout", async () => {
    const folder = await createRunFolder();
    const lines: string[] = [];
    let wake = () => {};
    const pipe = await openOutputPipe(folder, (line) => {
      lines.push(line);
      wake();
    });
    for (const words of ["one", "two"]) {
      const child = spawn("/bin/sh", ["-c", `echo plain ${words}; echo opened ${words} >/dev/stdout`], {
        stdio: ["ignore", pipe.fd, "inherit"],
      });
      await once(child, "exit");
    }
    while (lines.length < 4) await new Promise<void>((resolve) => (wake = resolve));
    assert.deepEqual(lines, ["plain one", "opened one", "plain two", "opened two"]);
    pipe.close();
    await removeRunFolder(folder);
  });
});
