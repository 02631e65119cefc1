import { type DescField, type DescMessage, hasOption } from "@bufbuild/protobuf";
import { required, rules } from "@gatewright/crd-types/proto/validate/validate_pb";
import { protoRegistry } from "../proto/index.ts";

let found: ReadonlySet<DescField> | undefined;

/**
 * The fields by which a message can contain another of its own type, directly or through others: `and_rules` of a
 * permission, the predicates of a matcher. Where no rules are to be found behind them they do not count.
 */
export function isRecursive(field: DescField): boolean {
  found ??= findRecursive();
  return found.has(field);
}

function findRecursive(): ReadonlySet<DescField> {
  const fields = new Set<DescField>();
  const groups = new Map<DescMessage, number>();
  for (const type of protoRegistry()) if (type.kind === "message") group(type, groups);
  for (const desc of groups.keys()) {
    for (const field of desc.fields) {
      const { message } = field;
      if (message === undefined || groups.get(message) !== groups.get(desc)) continue;
      if (carriesRules(message, new Set())) fields.add(field);
    }
  }
  return fields;
}

function carriesRules(desc: DescMessage, visited: Set<DescMessage>): boolean {
  if (visited.has(desc)) return false;
  visited.add(desc);
  return (
    desc.oneofs.some((oneof) => hasOption(oneof, required)) ||
    desc.fields.some((field) => hasOption(field, rules)) ||
    desc.fields.some(({ message }) => message !== undefined && carriesRules(message, visited))
  );
}

/** Tarjan's algorithm: types that reach one another get the same number. */
function group(root: DescMessage, groups: Map<DescMessage, number>): void {
  const order = new Map<DescMessage, number>();
  const open: DescMessage[] = [];
  const visit = (desc: DescMessage): number => {
    const own = order.size;
    let lowest = own;
    order.set(desc, own);
    open.push(desc);
    for (const { message } of desc.fields) {
      if (message === undefined || groups.has(message)) continue;
      lowest = Math.min(lowest, order.get(message) ?? visit(message));
    }
    if (lowest === own) {
      const number = groups.size;
      for (const member of open.splice(open.indexOf(desc))) groups.set(member, number);
    }
    return lowest;
  };
  if (!groups.has(root)) visit(root);
}
