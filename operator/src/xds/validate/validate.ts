import { type DescMessage, isMessage, type Message, type MessageShape } from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { AnySchema, type Duration, DurationSchema } from "@bufbuild/protobuf/wkt";
import { createValidator } from "@bufbuild/protovalidate";
import { protoRegistry, unpackAny } from "../proto/index.ts";
import { annotate } from "./annotate.ts";
import { findSpecial } from "./special.ts";
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

function check(typeName: string, message: Message, within: readonly Segment[], violations: Violation[]) {
  // The rules are on the registry's descriptors. A generated schema describes the same fields.
  const desc = protoRegistry().getMessage(typeName);
  if (desc === undefined) throw new TypeError(`${typeName} is no type of Envoy's API`);
  annotate(desc);
  const result = validator.validate(desc, message);
  if (result.kind === "error") throw result.error;
  if (result.kind === "invalid") {
    for (const violation of result.violations) violations.push(fromRuleViolation(within, violation));
  }
  findSpecial(reflect(desc, message), within, ({ segments, message: special }) => {
    checkSpecial(special, segments, violations);
  });
}

function checkSpecial({ message }: ReflectMessage, segments: readonly Segment[], violations: Violation[]) {
  if (isMessage(message, DurationSchema)) {
    if (!isValidDuration(message)) {
      violations.push(createViolation(segments, "duration.range", "is not a valid duration"));
    }
    return;
  }
  if (!isMessage(message, AnySchema)) return;
  const unpacked = unpackAny(message);
  switch (unpacked.kind) {
    case "message":
      check(unpacked.desc.typeName, unpacked.message, segments, violations);
      break;
    case "malformed":
      violations.push(createViolation(segments, "any.value", `is no ${unpacked.typeName}: ${unpacked.message}`));
      break;
    case "unknown-type":
      // Whether Envoy needs to know the type depends on the field: metadata may hold anything.
      break;
  }
}

const maxSeconds = 315_576_000_000n;

/** Envoy refuses durations that are out of protobuf's range wherever it reads one, with rules or without. */
function isValidDuration({ seconds, nanos }: Duration): boolean {
  if (seconds > maxSeconds || seconds < -maxSeconds || Math.abs(nanos) > 999_999_999) return false;
  return seconds === 0n || nanos === 0 || seconds > 0n === nanos > 0;
}
