import { parseRouteKey, type RankedRoute } from "../gatewayapi/index.ts";
import type { Reporter } from "./reporter.ts";
import type { Translated } from "./translate.ts";

type Match = RankedRoute["route"]["match"];

/** A match of a route, at one host of one table. */
type Contender = {
  readonly kind: ReturnType<typeof parseRouteKey>["kind"];
  readonly key: string;
  readonly field: string;
  readonly match: Match;
};

/**
 * Matches that no request ever reaches. Of equal ones the older route's counts, and after that the order of names and of rules; and
 * a regular expression stands before all prefixes, so that one for everything takes what they are for.
 */
export function tellMatches({ attachments, rules }: Translated, reporter: Reporter): void {
  const hosts = new Map<string, Contender[]>();
  const routes = [...attachments.keys()].toSorted(
    (left, right) => compare(ageOf(left), ageOf(right)) || compare(left, right),
  );

  function ageOf(key: string): string {
    return rules.get(key)?.createdAt ?? "";
  }

  for (const routeKey of routes) {
    const { kind, key } = parseRouteKey(routeKey);
    const contenders = (rules.get(routeKey)?.rules ?? []).flatMap(({ routes: ranked }) =>
      ranked.map(({ route, rank }) => ({
        kind,
        key,
        field: `spec.rules[${rank.rule}].matches[${rank.match}]`,
        match: route.match,
      })),
    );
    if (contenders.length === 0) continue;
    const places = new Set(
      (attachments.get(routeKey)?.parents ?? []).flatMap(({ listeners }) =>
        listeners.flatMap(({ routeTable, hosts: own }) => own.map((host) => `${routeTable} ${host}`)),
      ),
    );
    for (const place of places) {
      const known = hosts.get(place);
      if (known === undefined) hosts.set(place, [...contenders]);
      else known.push(...contenders);
    }
  }
  const told = new Set<string>();
  for (const contenders of hosts.values()) if (contenders.length > 1) tellHost(contenders, reporter, told);
}

const compare = (left: string, right: string): number => (left === right ? 0 : left < right ? -1 : 1);

/** What a match is found by is the same for equal ones. */
function tellHost(contenders: readonly Contender[], reporter: Reporter, told: Set<string>): void {
  const first = new Map<string, Contender>();
  const takingAll = contenders.filter(({ match }) => match.path.kind === "regex" && everything.has(match.path.value));
  for (const contender of contenders) {
    const { kind, key, field, match } = contender;
    const id = identityOf(match);
    const other = first.get(id);
    const shadow = other ?? takingAll.find((wider) => wider !== contender && shadows(wider.match, match));
    if (other === undefined) first.set(id, contender);
    if (shadow === undefined) continue;
    const place = `${kind} ${key} ${field}`;
    if (told.has(place)) continue;
    told.add(place);
    const where =
      shadow.kind === kind && shadow.key === key ? shadow.field : `${shadow.kind} ${shadow.key} ${shadow.field}`;
    const severity = "warning";
    if (other === undefined)
      reporter.tell({
        kind,
        key,
        field,
        severity,
        rule: "shadowed-rule",
        message: `every request that it takes is taken by ${where} before`,
      });
    else
      reporter.tell({
        kind,
        key,
        field,
        severity,
        rule: "duplicate-match",
        message: `the same match is in ${where}, which is the one that counts`,
      });
  }
}

const everything: ReadonlySet<string> = new Set([".*", "/.*", ".+", "/.*$", "^/.*", "^.*$", "^/.*$"]);

/** Whether a regular expression for every path comes before a match and asks for nothing that it does not ask for. */
function shadows(wider: Match, match: Match): boolean {
  if (match.path.kind !== "prefix") return false;
  if (wider.method !== undefined && wider.method !== match.method) return false;
  const has = (all: Match["headers"]) => {
    const texts = new Set(all.map((each) => JSON.stringify(each)));
    return (each: Match["headers"][number]) => texts.has(JSON.stringify(each));
  };
  return wider.headers.every(has(match.headers)) && wider.queryParams.every(has(match.queryParams));
}

const identityOf = ({ path, method = "", headers, queryParams }: Match): string =>
  JSON.stringify([path, method, inOrder(headers), inOrder(queryParams)]);

const inOrder = (values: Match["headers"]): readonly string[] =>
  values.map(({ name, kind, value }) => JSON.stringify([name, kind, value])).toSorted();
