import { type DescMessage, isMessage, type Message, type MessageShape } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { type Any, AnySchema, type Duration, DurationSchema } from "@bufbuild/protobuf/wkt";
import { createValidator } from "@bufbuild/protovalidate";
import { protoRegistry, unpackAny } from "../proto/index.ts";
import { annotate } from "./annotate.ts";
import { eachNested } from "./nested.ts";
import { createViolation, fromRuleViolation, type Segment, type Violation } from "./violation.ts";

export type Validation =
  | { readonly kind: "valid" }
  | { readonly kind: "invalid"; readonly violations: readonly Violation[] };

const validator = createValidator();
const valid: Validation = { kind: "valid" };

/**
 * Checks a message of Envoy's API against the rules that its fields carry, and every message packed into it against its own,
 * and reports all that it breaks. Takes messages of generated schemas and of the registry alike.
 *
 * @throws if the type is not one of Envoy's.
 */
export function validateMessage<Desc extends DescMessage>(schema: Desc, message: MessageShape<Desc>): Validation {
  const violations: Violation[] = [];
  check(schema.typeName, message, [], violations);
  return violations.length === 0 ? valid : { kind: "invalid", violations };
}

function check(typeName: string, message: Message, within: readonly Segment[], violations: Violation[]): void {
  if (isMessage(message, AnySchema)) checkAny(message, within, violations);
  else if (isMessage(message, DurationSchema)) checkDuration(message, within, violations);
  else checkRules(typeName, message, within, violations);
}

function checkRules(typeName: string, message: Message, within: readonly Segment[], violations: Violation[]) {
  // The rules are on the registry's descriptors. A generated schema describes the same fields.
  const desc = protoRegistry().getMessage(typeName);
  if (desc === undefined) throw new TypeError(`${typeName} is no type of Envoy's API`);
  annotate(desc);
  const result = validator.validate(desc, message);
  if (result.kind === "error") throw result.error;
  if (result.kind === "invalid") {
    for (const violation of result.violations) violations.push(fromRuleViolation(within, violation));
  }
  eachNested(reflect(desc, message), within, (nested, segments) => {
    check(nested.desc.typeName, nested.message, segments, violations);
  });
}

function checkAny(any: Any, within: readonly Segment[], violations: Violation[]) {
  const unpacked = unpackAny(any);
  switch (unpacked.kind) {
    case "message":
      check(unpacked.desc.typeName, unpacked.message, within, violations);
      break;
    case "malformed":
      violations.push(createViolation(within, "any.value", `is no ${unpacked.typeName}: ${unpacked.message}`));
      break;
    case "unknown-type":
      // Whether Envoy needs to know the type depends on the field: metadata may hold anything.
      break;
  }
}

/** Envoy refuses durations that are out of protobuf's range wherever it reads one, with rules or without. */
function checkDuration({ seconds, nanos }: Duration, within: readonly Segment[], violations: Violation[]) {
  const inRange = seconds <= maxSeconds && seconds >= -maxSeconds && Math.abs(nanos) <= 999_999_999;
  const oneSign = seconds === 0n || nanos === 0 || seconds > 0n === nanos > 0;
  if (!inRange || !oneSign) violations.push(createViolation(within, "duration.range", "is not a valid duration"));
}

/** Some 10,000 years. */
const maxSeconds = 315_576_000_000n;
