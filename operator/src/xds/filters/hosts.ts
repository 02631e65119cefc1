import type { Any } from "@bufbuild/protobuf/wkt";
import { HttpRequestHeaderMatchInputSchema } from "@gatewright/crd-types/proto/envoy/type/matcher/v3/http_inputs_pb";
import type {
  Matcher_MatcherList_PredicateSchema,
  MatcherSchema,
} from "@gatewright/crd-types/proto/xds/type/matcher/v3/matcher_pb";
import type { ListenerFilters } from "../../ir/index.ts";
import type { Init } from "../init.ts";
import { packAny } from "../proto/index.ts";

type Predicate = Init<typeof Matcher_MatcherList_PredicateSchema>;

/** What the host of a request must be. Undefined: any. */
export type HostMatch = { readonly predicate: Predicate | undefined };

/** Which requests are a listener's own: those of its host, but for those of hosts that lie within it and are another's. */
export function matchOf(listener: ListenerFilters, all: readonly ListenerFilters[]): HostMatch {
  const inner = all.flatMap(({ hostname }) =>
    hostname !== undefined && hostname !== listener.hostname && liesWithin(hostname, listener.hostname)
      ? [hostname]
      : [],
  );
  const own = listener.hostname === undefined ? [] : [isHost(listener.hostname)];
  const others = inner.length === 0 ? [] : [not(anyOf(inner.map(isHost)))];
  return { predicate: allOf([...own, ...others]) };
}

export function matchHosts(
  choices: readonly { readonly match: HostMatch; readonly action: Any }[],
): Init<typeof MatcherSchema> {
  const everywhere = choices.find(({ match }) => match.predicate === undefined);
  const matchers = choices.flatMap(({ match: { predicate }, action }) =>
    predicate === undefined ? [] : [{ predicate, onMatch: toAction(action) }],
  );
  return {
    ...(matchers.length > 0 && { matcherType: { case: "matcherList", value: { matchers } } }),
    ...(everywhere && { onNoMatch: toAction(everywhere.action) }),
  };
}

const toAction = (action: Any) => ({
  onMatch: { case: "action", value: { name: "composite-action", typedConfig: action } } as const,
});

/** Envoy's own rule: a wildcard stands for one label or more. */
const liesWithin = (inner: string, outer: string | undefined): boolean =>
  outer === undefined || (outer.startsWith("*") && inner.endsWith(outer.slice(1)));

const authority = {
  name: "host",
  typedConfig: packAny(HttpRequestHeaderMatchInputSchema, { headerName: ":authority" }),
};

/**
 * As Envoy finds a virtual host: whatever the case, and without what stands after the last colon. RE2's own way to pass over the case
 * takes more than Envoy's, `ſ` for `s`: a request would be held to be another listener's than the one whose virtual host it gets.
 */
function isHost(hostname: string): Predicate {
  const pattern = hostname
    .toLowerCase()
    .replaceAll(".", "\\.")
    .replaceAll(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)
    .replace(/^\*/, ".+");
  const regex = `${pattern}(:[^:\\]]*)?`;
  return {
    matchType: {
      case: "singlePredicate",
      value: {
        input: authority,
        matcher: {
          case: "valueMatch",
          value: {
            matchPattern: { case: "safeRegex", value: { regex, engineType: { case: "googleRe2", value: {} } } },
          },
        },
      },
    },
  };
}

const not = (predicate: Predicate): Predicate => ({ matchType: { case: "notMatcher", value: predicate } });

/** Envoy takes no list of one. */
function anyOf(predicates: readonly Predicate[]): Predicate {
  const [first] = predicates;
  if (first !== undefined && predicates.length === 1) return first;
  return { matchType: { case: "orMatcher", value: { predicate: [...predicates] } } };
}

function allOf(predicates: readonly Predicate[]): Predicate | undefined {
  if (predicates.length < 2) return predicates[0];
  return { matchType: { case: "andMatcher", value: { predicate: [...predicates] } } };
}
