import assert from "node:assert/strict";
import { create, fromBinary } from "@bufbuild/protobuf";
import { ExecuteFilterActionSchema } from "@gatewright/crd-types/proto/envoy/extensions/filters/http/composite/v3/composite_pb";
import type { Matcher_MatcherList_Predicate } from "@gatewright/crd-types/proto/xds/type/matcher/v3/matcher_pb";
import { MatcherSchema } from "@gatewright/crd-types/proto/xds/type/matcher/v3/matcher_pb";
import type { ListenerFilters } from "../../ir/index.ts";
import { packAny } from "../proto/index.ts";
import { matchHosts, matchOf } from "./hosts.ts";

/** Does what Envoy does with such a matcher. RE2 differs from JavaScript in nothing that is used here. */
function holds(predicate: Matcher_MatcherList_Predicate, authority: string): boolean {
  const { matchType } = predicate;
  switch (matchType.case) {
    case "singlePredicate": {
      const { matcher } = matchType.value;
      const pattern = matcher.case === "valueMatch" ? matcher.value.matchPattern : undefined;
      assert.ok(pattern?.case === "safeRegex");
      return new RegExp(`^(?:${pattern.value.regex})$`).test(authority);
    }
    case "orMatcher":
      assert.ok(matchType.value.predicate.length > 1, "Envoy takes no list of one");
      return matchType.value.predicate.some((each) => holds(each, authority));
    case "andMatcher":
      assert.ok(matchType.value.predicate.length > 1, "Envoy takes no list of one");
      return matchType.value.predicate.every((each) => holds(each, authority));
    case "notMatcher":
      return !holds(matchType.value, authority);
    case undefined:
      return assert.fail("no predicate");
  }
}

/** The host whose filters a request gets, among listeners of these hosts, all of which have some. */
function chosen(hosts: readonly (string | undefined)[], authority: string): readonly string[] {
  const listeners = hosts.map(
    (hostname): ListenerFilters => ({
      ...(hostname !== undefined && { hostname }),
      filters: [{ kind: "respond", status: 500 }],
    }),
  );
  const choices = listeners.map((listener) => ({
    match: matchOf(listener, listeners),
    action: packAny(ExecuteFilterActionSchema, { filterChainName: listener.hostname ?? "any" }),
  }));
  const { matcherType, onNoMatch } = create(MatcherSchema, matchHosts(choices));
  const matchers = matcherType.case === "matcherList" ? matcherType.value.matchers : [];
  const taken = matchers.filter(({ predicate }) => predicate && holds(predicate, authority));
  const all = taken.map(({ onMatch }) => onMatch);
  return (all.length === 0 && onNoMatch !== undefined ? [onNoMatch] : all).map((match) => {
    const action = match?.onMatch.case === "action" ? match.onMatch.value.typedConfig : undefined;
    return fromBinary(ExecuteFilterActionSchema, action?.value ?? new Uint8Array()).filterChainName;
  });
}

describe("which listener's filters a request gets", () => {
  const hosts = ["a.example.com", "*.example.com", "*.b.example.com", "x.b.example.com", "*.other.io", undefined];
  const cases: readonly (readonly [authority: string, host: string])[] = [
    ["a.example.com", "a.example.com"],
    ["A.Example.COM:8080", "a.example.com"],
    ["a.example.com:", "a.example.com"],
    ["z.a.example.com", "*.example.com"],
    ["b.example.com", "*.example.com"],
    ["y.b.example.com", "*.b.example.com"],
    ["x.b.example.com:1", "x.b.example.com"],
    ["y.x.b.example.com", "*.b.example.com"],
    ["example.com", "any"],
    [".example.com", "any"],
    ["aXexample.com", "any"],
    ["other.io", "any"],
    ["a.other.io.", "any"],
    ["[::1]:80", "any"],
    ["", "any"],
  ];
  for (const [authority, host] of cases)
    it(`${JSON.stringify(authority)} is for ${host}, and for nobody else`, () =>
      assert.deepEqual(chosen(hosts, authority), [host]));

  it("passes over the case of ASCII alone", () => {
    const listeners = ["*.io", "shop.io"];
    assert.deepEqual(chosen(listeners, "SHOP.io"), ["shop.io"]);
    assert.deepEqual(chosen(listeners, "\u017fhop.io"), ["*.io"]);
    const { predicate } = matchOf({ hostname: "shop.io", filters: [] }, []);
    assert.ok(!JSON.stringify(predicate).includes("(?i)"));
  });

  it("is nobody's where no listener has the host", () => {
    assert.deepEqual(chosen(["a.example.com", "*.b.example.com"], "c.example.com"), []);
  });

  it("is the only listener's, whatever the host, without looking at it", () => {
    const listener = { filters: [] };
    assert.deepEqual(matchOf(listener, [listener]), { predicate: undefined });
    assert.deepEqual(chosen([undefined], "a"), ["any"]);
  });
});
