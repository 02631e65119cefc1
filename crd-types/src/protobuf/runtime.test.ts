import assert from "node:assert/strict";
import { create, type DescFile, toBinary } from "@bufbuild/protobuf";
import {
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
  FileDescriptorProtoSchema,
} from "@bufbuild/protobuf/wkt";
import { fileDesc } from "./runtime.ts";

const field = { name: "it", number: 1, type: Type.MESSAGE, label: Label.OPTIONAL, jsonName: "it" };

/** A file with one message, which has a field of the type. */
function file(name: string, type: string, imports: DescFile[], publicDependency: number[] = []): DescFile {
  const proto = create(FileDescriptorProtoSchema, {
    name,
    syntax: "proto3",
    dependency: imports.map((one) => one.proto.name),
    publicDependency,
    messageType: [{ name: name.replace(".proto", ""), field: type === "" ? [] : [{ ...field, typeName: `.${type}` }] }],
  });
  return fileDesc(Buffer.from(toBinary(FileDescriptorProtoSchema, proto)).toString("base64"), imports);
}

describe("fileDesc() of generated code", () => {
  it("builds files whose imports meet again, however many ways there are", () => {
    let left = file("left0.proto", "", []);
    let right = file("right0.proto", "", []);
    // Two to the power of 60 ways lead from the last to the first.
    for (let level = 1; level <= 60; level++)
      [left, right] = [
        file(`left${level}.proto`, `right${level - 1}`, [left, right]),
        file(`right${level}.proto`, `left${level - 1}`, [left, right]),
      ];
    assert.equal(left.messages[0]?.fields[0]?.message?.typeName, "right59");
  });

  it("has what an imported file passes on", () => {
    const base = file("base.proto", "", []);
    const passing = file("passing.proto", "", [base], [0]);
    const further = file("further.proto", "", [passing], [0]);
    assert.equal(file("user.proto", "base", [further]).messages[0]?.fields[0]?.message, base.messages[0]);
  });
});
