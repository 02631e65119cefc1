import {
  HeaderValueOption_HeaderAppendAction,
  type HeaderValueOptionSchema,
} from "@gatewright/crd-types/proto/envoy/config/core/v3/base_pb";
import type { Header, HeaderChange } from "../../ir/index.ts";
import type { Init } from "../init.ts";

type HeaderOptionInit = Init<typeof HeaderValueOptionSchema>;

export type HeaderEdit = { readonly add: readonly HeaderOptionInit[]; readonly remove: readonly string[] };

const { OVERWRITE_IF_EXISTS_OR_ADD, APPEND_IF_EXISTS_OR_ADD } = HeaderValueOption_HeaderAppendAction;

export function headerEdit(change: HeaderChange | undefined): HeaderEdit {
  if (change === undefined) return { add: [], remove: [] };
  return {
    add: [
      ...change.set.map((header) => headerOption(header, OVERWRITE_IF_EXISTS_OR_ADD)),
      ...change.add.map((header) => headerOption(header, APPEND_IF_EXISTS_OR_ADD)),
    ],
    remove: change.remove,
  };
}

/** The changes of a rule and then those of one of its backends, as one change. */
export function composeChanges(rule: HeaderChange, backend: HeaderChange): HeaderEdit {
  const replaced = new Set([...backend.set.map(({ name }) => name), ...backend.remove]);
  const stands = ({ name }: Header) => !replaced.has(name);
  const first = headerEdit({ ...rule, set: rule.set.filter(stands), add: rule.add.filter(stands) });
  const second = headerEdit(backend);
  // Envoy removes before it adds: what the rule adds and the backend removes must not be added at all.
  return { add: [...first.add, ...second.add], remove: [...new Set([...first.remove, ...second.remove])] };
}

const headerOption = (
  { name, value }: Header,
  appendAction: HeaderValueOption_HeaderAppendAction,
): HeaderOptionInit => ({
  // Envoy reads values as format strings; Gateway API means them to the letter.
  header: { key: name, value: value.replaceAll("%", "%%") },
  appendAction,
  keepEmptyValue: true,
});

const isHost = ({ name }: Header) => name.toLowerCase() === "host";

/**
 * Envoy does not let header changes touch `Host`: setting it is a rewrite of the host there. Gives the new host, if any, and
 * the other changes.
 */
export function splitHost(change: HeaderChange | undefined): {
  readonly host: string | undefined;
  readonly rest: HeaderChange | undefined;
} {
  const host = change?.set.findLast(isHost)?.value;
  if (change === undefined || host === undefined) return { host: undefined, rest: change };
  return { host, rest: { ...change, set: change.set.filter((header) => !isHost(header)) } };
}

/** Headers that Envoy refuses to change, in code and not by the rules of its fields. Undefined: none. */
export function untouchableHeader(change: HeaderChange | undefined): string | undefined {
  const names = [...(change?.set ?? []), ...(change?.add ?? [])].map(({ name }) => name);
  return [...names, ...(change?.remove ?? [])].find((name) => name.startsWith(":") || name.toLowerCase() === "host");
}
