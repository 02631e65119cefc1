import assert from "node:assert/strict";
import { create, createFileRegistry, type DescMessage, type Message, setExtension } from "@bufbuild/protobuf";
import {
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FieldOptionsSchema,
  FileDescriptorProtoSchema,
  MessageOptionsSchema,
} from "@bufbuild/protobuf/wkt";
import { createValidator } from "@bufbuild/protovalidate";
import { disabled, FieldRulesSchema, ignored, rules } from "@gatewright/crd-types/proto/validate/validate_pb";
import { annotate } from "./annotate.ts";

/** A type with one text that may not be empty. */
function typeWith(switchedOff: typeof disabled | undefined): DescMessage {
  const fieldOptions = create(FieldOptionsSchema);
  const notEmpty = create(FieldRulesSchema, { type: { case: "string", value: { minLen: 1n } } });
  setExtension(fieldOptions, rules, notEmpty);
  const messageOptions = create(MessageOptionsSchema);
  if (switchedOff !== undefined) setExtension(messageOptions, switchedOff, true);
  const name = {
    name: "name",
    number: 1,
    type: FieldDescriptorProto_Type.STRING,
    label: FieldDescriptorProto_Label.OPTIONAL,
    options: fieldOptions,
  };
  const file = create(FileDescriptorProtoSchema, {
    name: "test.proto",
    package: "test",
    syntax: "proto3",
    messageType: [{ name: "Named", field: [name], options: messageOptions }],
  });
  const desc = createFileRegistry(file, () => undefined).getMessage("test.Named");
  assert.ok(desc !== undefined);
  return desc;
}

function verdict(desc: DescMessage): string {
  annotate(desc);
  const message: Message = create(desc);
  return createValidator().validate(desc, message).kind;
}

describe("annotate()", () => {
  it("adds the rules of fields", () => assert.equal(verdict(typeWith(undefined)), "invalid"));
  it("adds none to a type whose rules are disabled", () => assert.equal(verdict(typeWith(disabled)), "valid"));
  it("adds none to a type that is ignored", () => assert.equal(verdict(typeWith(ignored)), "valid"));
});
