import { type DescField, type DescMessage, hasOption } from "@bufbuild/protobuf";
import { required, rules } from "@gatewright/crd-types/proto/validate/validate_pb";

const known = new WeakMap<DescField, boolean>();

/**
 * Whether a message can contain another of its own type by this field, directly or through others: `and_rules` of a
 * permission, the predicates of a matcher. Where no rules are to be found behind it, it does not count.
 */
export function isRecursive(field: DescField): boolean {
  let answer = known.get(field);
  if (answer === undefined) {
    answer = leadsBack(field);
    known.set(field, answer);
  }
  return answer;
}

function leadsBack({ parent, message }: DescField): boolean {
  if (message === undefined) return false;
  if (!groups.has(parent)) group(parent);
  return groups.get(message) === groups.get(parent) && carriesRules(message, new Set());
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

/** Types that reach one another have the same. */
const groups = new WeakMap<DescMessage, symbol>();

/** Tarjan's algorithm, for all that can be reached and has no group yet. */
function group(root: DescMessage): void {
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
      const mark = Symbol(desc.typeName);
      for (const member of open.splice(open.indexOf(desc))) groups.set(member, mark);
    }
    return lowest;
  };
  visit(root);
}
