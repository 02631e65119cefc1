import type { HTTPHeader, HTTPHeaderFilter } from "@gatewright/crd-types/gateway/v1";
import type { Header, HeaderChange } from "../../ir/index.ts";
import { isFraming, isHeaderValue, isToken } from "../../lib/index.ts";
import type { RuleReport } from "./report.ts";

/** A host, with a port or without. */
const isAuthority = (text: string): boolean => text.length <= 259 && /^[A-Za-z0-9._-]+(:[0-9]{1,5})?$/.test(text);

export type TranslatedChange = {
  readonly change?: HeaderChange;
  /** Envoy takes a new `Host` as a rewrite and refuses it as a header. */
  readonly host?: string;
};

/** A header modifier, or what is good of it; `report` says the rest. */
export function translateHeaderChange(
  filter: HTTPHeaderFilter,
  field: string,
  report: RuleReport,
  direction: "request" | "response",
): TranslatedChange {
  const owners = new Map<string, "set" | "add" | "remove">();
  let host: string | undefined;

  /** Whether `name` may be changed by `list`, and is not changed already. */
  function claim(name: string, list: "set" | "add" | "remove", at: string): boolean {
    const owner = owners.get(name);
    // Of equivalent names in one list the first counts; two actions for one name contradict each other.
    if (owner === list) return false;
    if (owner !== undefined) report.refuse(at, `${name} is in ${owner} already: a header can have one action only`);
    else if (!isToken(name)) report.refuse(at, `${JSON.stringify(name)} is not the name of a header`);
    else if (isFraming(name)) report.refuse(at, `${name} belongs to the connection and cannot be changed`);
    else if (name === "host" && (direction === "response" || list !== "set"))
      report.refuse(at, "host cannot be changed here: URLRewrite has a hostname for that");
    owners.set(name, list);
    return owner === undefined;
  }

  function headers(list: "set" | "add", entries: readonly HTTPHeader[] = []): readonly Header[] {
    return entries.flatMap(({ name, value }, index) => {
      const at = `${field}.${list}[${index}]`;
      const lower = name.toLowerCase();
      if (!claim(lower, list, `${at}.name`)) return [];
      if (value === "" || !isHeaderValue(value)) {
        report.refuse(`${at}.value`, value === "" ? "is empty" : "has control characters or is too long");
        return [];
      }
      if (lower !== "host") return [{ name: lower, value }];
      if (!isAuthority(value)) report.refuse(`${at}.value`, `${JSON.stringify(value)} is not a host`);
      host = value;
      return [];
    });
  }

  const change: HeaderChange = {
    set: headers("set", filter.set),
    add: headers("add", filter.add),
    remove: (filter.remove ?? [])
      .map((name) => name.toLowerCase())
      .filter((name, index) => claim(name, "remove", `${field}.remove[${index}]`)),
  };
  const isEmpty = change.set.length === 0 && change.add.length === 0 && change.remove.length === 0;
  return { ...(!isEmpty && { change }), ...(host !== undefined && { host }) };
}
