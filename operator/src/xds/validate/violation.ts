import type { Path } from "@bufbuild/protobuf/reflect";
import type { Violation as RuleViolation } from "@bufbuild/protovalidate";
import { lenientHeader } from "./convert.ts";

/** One step into a message: the name of a field as its .proto file spells it, the index of an item, or the key of a map. */
export type Segment =
  | { readonly kind: "field"; readonly name: string }
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "key"; readonly key: string };

/** A rule that a message breaks. */
export type Violation = {
  /** Where, as `routes[0].match` or `filter_metadata["envoy.lb"]`; empty for the message itself. */
  readonly path: string;
  readonly segments: readonly Segment[];
  /** The rule, as `string.min_len`, `required` or `oneof.required`. */
  readonly rule: string;
  /** What is wrong, as `must be at least 1 characters`. */
  readonly message: string;
};

export function createViolation(segments: readonly Segment[], rule: string, message: string): Violation {
  return { path: formatPath(segments), segments, rule, message };
}

/** `within` is the place of the message that was validated. */
export function fromRuleViolation(within: readonly Segment[], violation: RuleViolation): Violation {
  const segments = [...within, ...segmentsOf(violation.field)];
  const last = violation.field.at(-1);
  if (last?.kind === "oneof") {
    // Nobody writes the name of a oneof: point at the message that lacks one of its members.
    const members = last.fields.map((field) => field.name).join(", ");
    return createViolation(segments, "oneof.required", `needs one of: ${members}`);
  }
  const field = requiredApart.exec(violation.message)?.[1];
  if (violation.ruleId === "message.oneof" && field !== undefined) {
    return createViolation([...segments, { kind: "field", name: field }], "required", "value is required");
  }
  if (violation.message.includes(lenientHeader.pattern)) {
    return createViolation(segments, "string.header", lenientHeader.message);
  }
  return createViolation(segments, violation.ruleId, violation.message);
}

/** How protovalidate reports the fields that annotate.ts requires by a rule of their message. */
const requiredApart = /^one of (\w+) must be set$/;

function segmentsOf(path: Path): readonly Segment[] {
  const segments: Segment[] = [];
  for (const step of path) {
    if (step.kind === "field") segments.push({ kind: "field", name: step.name });
    else if (step.kind === "list_sub") segments.push({ kind: "index", index: step.index });
    else if (step.kind === "map_sub") segments.push({ kind: "key", key: String(step.key) });
  }
  return segments;
}

export function formatPath(segments: readonly Segment[]): string {
  let text = "";
  for (const segment of segments) {
    switch (segment.kind) {
      case "field":
        text += text === "" ? segment.name : `.${segment.name}`;
        break;
      case "index":
        text += `[${segment.index}]`;
        break;
      case "key":
        text += `[${JSON.stringify(segment.key)}]`;
        break;
    }
  }
  return text;
}
