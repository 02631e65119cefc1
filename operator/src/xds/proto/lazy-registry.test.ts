import assert from "node:assert/strict";
import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import {
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
  type FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
} from "@bufbuild/protobuf/wkt";
import { createLazyRegistry } from "./lazy-registry.ts";

const registryOf = (...file: MessageInitShape<typeof FileDescriptorProtoSchema>[]) =>
  createLazyRegistry(toBinary(FileDescriptorSetSchema, create(FileDescriptorSetSchema, { file })));

const fine = { name: "fine.proto", package: "a", messageType: [{ name: "Fine", nestedType: [{ name: "Inner" }] }] };
const broken = { name: "broken.proto", package: "a", messageType: [{ name: "Broken" }], dependency: ["no.proto"] };

describe("createLazyRegistry()", () => {
  it("builds no file that nothing is asked of", () => {
    const registry = registryOf(broken, fine);
    assert.equal(registry.getMessage("a.Fine.Inner")?.parent?.typeName, "a.Fine");
    assert.throws(() => registry.getMessage("a.Broken"), /no\.proto is imported and not there/);
    assert.throws(() => [...registry]);
  });

  it("has what a file imports, in whatever order files stand", () => {
    const registry = registryOf(userOf("fine.proto"), fine);
    assert.equal(registry.getMessage("User")?.fields[0]?.message, registry.getMessage("a.Fine"));
    assert.deepEqual(
      [...registry].map(({ typeName }) => typeName),
      ["a.Fine", "a.Fine.Inner", "User"],
    );
  });

  it("has what an imported file passes on", () => {
    const passing = { name: "passing.proto", dependency: ["fine.proto"], publicDependency: [0] };
    const further = { name: "further.proto", dependency: ["passing.proto"], publicDependency: [0] };
    const registry = registryOf(userOf("further.proto"), further, passing, fine);
    assert.equal(registry.getMessage("User")?.fields[0]?.message, registry.getMessage("a.Fine"));
  });
});

/** A file with a message that has a field of `a.Fine`. */
const userOf = (dependency: string): MessageInitShape<typeof FileDescriptorProtoSchema> => ({
  name: "user.proto",
  syntax: "proto3",
  dependency: [dependency],
  messageType: [
    {
      name: "User",
      field: [
        { name: "fine", number: 1, type: Type.MESSAGE, label: Label.OPTIONAL, typeName: ".a.Fine", jsonName: "fine" },
      ],
    },
  ],
});
