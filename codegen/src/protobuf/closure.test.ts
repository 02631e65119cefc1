import assert from "node:assert/strict";
import { create } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { CodegenError } from "../step.ts";
import { closure } from "./closure.ts";

const set = create(FileDescriptorSetSchema, {
  file: [
    { name: "base/a.proto" },
    { name: "base/deep/b.proto" },
    { name: "main/c.proto", dependency: ["base/a.proto"] },
    { name: "main/d.proto", dependency: ["main/c.proto"] },
  ],
});

describe("closure()", () => {
  it("takes a file with all that it imports, in the order of the set", () => {
    assert.deepEqual(closure(set, ["main/d.proto"]), ["base/a.proto", "main/c.proto", "main/d.proto"]);
  });

  it("takes the files of a folder, but not of the folders below it", () => {
    assert.deepEqual(closure(set, ["base/"]), ["base/a.proto"]);
  });

  it("refuses a root that names nothing", () => {
    assert.throws(() => closure(set, ["main/missing.proto"]), CodegenError);
    assert.throws(() => closure(set, ["missing/"]), CodegenError);
  });
});
