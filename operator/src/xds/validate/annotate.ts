import { create, type DescField, type DescMessage, getOption, hasOption, setExtension } from "@bufbuild/protobuf";
import { AnySchema, FieldOptionsSchema, MessageOptionsSchema, OneofOptionsSchema } from "@bufbuild/protobuf/wkt";
import {
  type FieldRules,
  FieldRulesSchema,
  Ignore,
  MapRulesSchema,
  MessageRulesSchema,
  OneofRulesSchema,
  RepeatedRulesSchema,
  field as fieldRules,
  message as messageRules,
  oneof as oneofRules,
} from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import {
  disabled,
  rules as envoyRules,
  ignored,
  required as oneofRequired,
} from "@gatewright/crd-types/proto/validate/validate_pb";
import { convertRules } from "./convert.ts";
import { isRecursive } from "./recursive.ts";

const annotated = new WeakSet<DescMessage>();

/**
 * Adds protovalidate's options to a message type and to all that it can contain, from Envoy's own rules. What Envoy's rules
 * mean, and no more: `ValidateAll()` of go-control-plane is the oracle that the tests compare with.
 */
export function annotate(root: DescMessage): void {
  const queue = [root];
  for (let desc = queue.pop(); desc !== undefined; desc = queue.pop()) {
    if (annotated.has(desc)) continue;
    annotated.add(desc);
    annotateMessage(desc);
    for (const field of desc.fields) if (field.message !== undefined) queue.push(field.message);
  }
}

function annotateMessage(desc: DescMessage) {
  if (isOff(desc)) {
    for (const field of desc.fields) setFieldRules(field, create(FieldRulesSchema, { ignore: Ignore.ALWAYS }));
    return;
  }
  for (const oneof of desc.oneofs) {
    if (hasOption(oneof, oneofRequired) && getOption(oneof, oneofRequired)) {
      oneof.proto.options ??= create(OneofOptionsSchema);
      setExtension(oneof.proto.options, oneofRules, create(OneofRulesSchema, { required: true }));
    }
  }
  for (const field of desc.fields) {
    if (hasOption(field, envoyRules) || isRecursive(field)) annotateField(desc, field);
  }
}

function annotateField(desc: DescMessage, field: DescField) {
  const { rules, required } = convertRules(getOption(field, envoyRules));
  const needed = required && field.oneof === undefined;
  // A rule for Any on another message: protoc-gen-validate then asks for its presence and does not look into it.
  const closed = rules.type.case === "any" && field.message?.typeName !== AnySchema.typeName;
  if (closed || isRecursive(field)) {
    // protovalidate 1.3.0 forgets what stands behind a recursive field when it plans, so each such message is checked on
    // its own: see nested.ts.
    setFieldRules(field, doNotEnter(field, rules));
    if (needed) requireByMessage(desc, field);
    return;
  }
  rules.required = needed;
  setFieldRules(field, rules);
}

/** Rules that say how many messages there may be, but not what is in them. */
function doNotEnter(field: DescField, rules: FieldRules): FieldRules {
  const shut = create(FieldRulesSchema, { ignore: Ignore.ALWAYS });
  if (field.fieldKind === "list") {
    const counted = rules.type.case === "repeated" ? rules.type.value : create(RepeatedRulesSchema);
    counted.items = shut;
    rules.type = { case: "repeated", value: counted };
    return rules;
  }
  if (field.fieldKind === "map") {
    const counted = rules.type.case === "map" ? rules.type.value : create(MapRulesSchema);
    counted.values = shut;
    rules.type = { case: "map", value: counted };
    return rules;
  }
  return shut;
}

function setFieldRules(field: DescField, rules: FieldRules) {
  field.proto.options ??= create(FieldOptionsSchema);
  setExtension(field.proto.options, fieldRules, rules);
}

/** For a field whose own rules are ignored. */
function requireByMessage(desc: DescMessage, field: DescField) {
  desc.proto.options ??= create(MessageOptionsSchema);
  const { oneof } = getOption(desc, messageRules);
  const rules = create(MessageRulesSchema, { oneof: [...oneof, { fields: [field.name], required: true }] });
  setExtension(desc.proto.options, messageRules, rules);
}

const isOff = (desc: DescMessage) =>
  (hasOption(desc, disabled) && getOption(desc, disabled)) || (hasOption(desc, ignored) && getOption(desc, ignored));
