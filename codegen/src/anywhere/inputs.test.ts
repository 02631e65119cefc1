import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Arguments } from "./arguments.ts";
import { hashInputs } from "./inputs.ts";

describe("hashInputs() of a Go module in a folder", () => {
  let folder: string;
  const write = (file: string, text: string) => {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  };
  const args: Arguments = {
    source: { kind: "go", from: "x", packages: ["./api/..."], markers: undefined },
    out: "out",
    constructs: false,
    extension: "js",
    check: false,
    force: false,
    quiet: true,
  };
  const hash = (more: Partial<Arguments> = {}) =>
    hashInputs({ ...args, ...more }, { name: "x", folder: path.join(folder, "api"), version: undefined });

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "gw-codegen-"));
    write("go.mod", "module example.com/x\n");
    write("api/v1/types.go", "package v1\n");
    write("shared/shared.go", "package shared\n");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("follows all Go sources of the module, and nothing else", async () => {
    const first = await hash();
    write("README.md", "new");
    write("api/v1/types_test.go", "package v1\n");
    write(".git/x.go", "package x\n");
    assert.equal(await hash(), first);
    write("shared/shared.go", "package shared // changed\n");
    const second = await hash();
    assert.notEqual(second, first);
    write("go.mod", "module example.com/x\n\ngo 1.27.0\n");
    assert.notEqual(await hash(), second);
  });

  it("follows the options that decide what is written, and no others", async () => {
    const first = await hash();
    assert.equal(await hash({ quiet: false, check: true }), first);
    assert.notEqual(await hash({ constructs: true }), first);
    assert.notEqual(await hash({ extension: "ts" }), first);
  });

  it("is never the same where the module uses another one beside it", async () => {
    write("go.mod", "module example.com/x\n\nreplace example.com/y => ../y\n");
    assert.notEqual(await hash(), await hash());
  });
});
