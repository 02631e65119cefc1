import type { HTTPBackendRef, HTTPRouteRule } from "@gatewright/crd-types/gateway/v1";
import type { ForwardAction, PathChange, RouteAction, WeightedBackend } from "../../ir/index.ts";
import { deepEqual } from "../../lib/index.ts";
import { type FilterContext, type Filters, translateFilters } from "./filters.ts";
import type { Unavailable } from "./unavailable.ts";
import { translateRetry, translateTimeouts } from "./timeouts.ts";

const maxWeight = 1_000_000;

export type RuleContext = Omit<FilterContext, "level"> & {
  /** What those are answered whose backend is not there. */
  readonly unavailable: Unavailable;
};

type Share = {
  readonly weight: number;
  /** Undefined: the backend is invalid, and its share of the requests is answered 500. */
  readonly backend?: WeightedBackend;
  readonly path?: PathChange;
};

/** Forwards to the backends by weight. Weights of zero get nothing; nobody left, or nobody valid, is a 500. */
export function translateForward(rule: HTTPRouteRule, filters: Filters, context: RuleContext): RouteAction {
  const { report, unavailable } = context;
  const refs = rule.backendRefs ?? [];
  const shares = refs.map((ref, index) => translateBackendRef(ref, `backendRefs[${index}]`, context));
  const timeouts = translateTimeouts(rule.timeouts, report);
  const retry = translateRetry(rule.retry, report);
  if (rule.sessionPersistence !== undefined) report.refuse("sessionPersistence", "is not supported");

  const used = shares.filter(({ weight }) => weight > 0);
  const backends = used.flatMap(({ backend }) => backend ?? []);
  const path = mergePaths(filters, used, context);
  if (backends.length === 0) return unavailable;
  const total = used.reduce((sum, { weight }) => sum + weight, 0);
  const failing = total - backends.reduce((sum, { weight }) => sum + weight, 0);
  const { host, mirrors } = filters;
  const rewrite = { ...(host !== undefined && { host }), ...(path !== undefined && { path }) };
  const action: ForwardAction = {
    kind: "forward",
    backends,
    mirrors,
    ...(failing > 0 && {
      failing: { weight: failing, total, ...(unavailable.status !== 500 && { status: unavailable.status }) },
    }),
    ...((host ?? path) !== undefined && { rewrite }),
    ...timeouts,
    ...(retry !== undefined && { retry }),
  };
  return action;
}

function translateBackendRef(ref: HTTPBackendRef, field: string, context: Omit<FilterContext, "level">): Share {
  const { report, references } = context;
  const { weight = 1 } = ref;
  if (!Number.isInteger(weight) || weight < 0 || weight > maxWeight)
    report.refuse(`${field}.weight`, `${weight} is not a number from 0 to ${maxWeight}`);
  const filters = translateFilters(ref.filters ?? [], `${field}.filters`, { ...context, level: "backend" });
  const target = references.backend(ref);
  if (target.kind === "unresolved") report.unresolve(field, target);
  if (target.kind === "unresolved" || filters.blocked) return { weight };
  const { requestHeaders, responseHeaders, host, path } = filters;
  return {
    weight,
    backend: {
      cluster: target.cluster.name,
      weight,
      ...(requestHeaders !== undefined && { requestHeaders }),
      ...(responseHeaders !== undefined && { responseHeaders }),
      ...(host !== undefined && { hostRewrite: host }),
    },
    ...(path !== undefined && { path }),
  };
}

/** Envoy changes the path for a route and not for a backend: where all backends want the same change, that is the route's. */
function mergePaths(
  { path }: Filters,
  shares: readonly Share[],
  { report }: Omit<FilterContext, "level">,
): PathChange | undefined {
  const valid = shares.filter(({ backend }) => backend !== undefined);
  const first = valid.find((share) => share.path !== undefined)?.path;
  if (first === undefined) return path;
  if (path !== undefined)
    report.refuse("backendRefs", "both the rule and a backend change the path", "IncompatibleFilters");
  if (!valid.every((share) => deepEqual(share.path, first)))
    report.refuse("backendRefs", "a change of the path must be the same for all backends of a rule");
  return first;
}
