import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { programKey } from "./program-key.ts";
import type { GoProgram } from "./programs.ts";

describe("programKey()", () => {
  let module: string;
  const write = async (file: string, content: string) => {
    await mkdir(path.dirname(path.join(module, file)), { recursive: true });
    await writeFile(path.join(module, file), content);
  };
  beforeEach(async () => {
    module = await mkdtemp(path.join(tmpdir(), "program-key-"));
    await write("go.mod", "module example.com/one\n");
    await write("go.sum", "");
    await write("internal/a.go", "package internal\n");
    await write("internal/a_test.go", "package internal\n");
    await write("README.md", "about it\n");
  });
  afterEach(() => rm(module, { recursive: true }));

  const program = (change: Partial<GoProgram> = {}): GoProgram => ({
    name: "one",
    module,
    package: ".",
    own: true,
    flags: [],
    environment: {},
    coldMinutes: 1,
    ...change,
  });

  it("changes with every pin and every source of the program", async () => {
    const keys = new Set([await programKey(program())]);
    const edits = [
      ["go.mod", "module example.com/one // v2\n"],
      ["go.sum", "x\n"],
      ["internal/a.go", "package other\n"],
    ] as const;
    for (const [file, content] of edits) {
      await write(file, content);
      keys.add(await programKey(program()));
    }
    await write("internal/b.go", "package internal\n");
    keys.add(await programKey(program()));
    keys.add(await programKey(program({ flags: ["-ldflags=-s"] })));
    keys.add(await programKey(program({ environment: { GOTOOLCHAIN: "go9" } })));
    assert.equal(keys.size, 7);
  });

  it("does not change with what is no part of the program", async () => {
    const before = await programKey(program());
    await write("README.md", "more about it\n");
    await write("internal/a_test.go", "package internal // changed\n");
    assert.equal(await programKey(program()), before);
    assert.equal(await programKey(program({ coldMinutes: 99 })), before);
  });

  it("counts the tests of a program that is a test", async () => {
    const before = await programKey(program({ test: true }));
    await write("internal/a_test.go", "package internal // changed\n");
    assert.notEqual(await programKey(program({ test: true })), before);
  });

  it("reads no sources where only other modules are compiled", async () => {
    const { own: _, ...foreign } = program();
    const before = await programKey(foreign);
    await write("internal/a.go", "package other\n");
    assert.equal(await programKey(foreign), before);
  });
});
