import { durationFromMs } from "@bufbuild/protobuf/wkt";
import {
  HeaderValueOption_HeaderAppendAction,
  type HeaderValueOptionSchema,
} from "@gatewright/crd-types/proto/envoy/config/core/v3/base_pb";
import {
  type RetryPolicySchema,
  RouteAction_ClusterNotFoundResponseCode,
  type RouteAction_RequestMirrorPolicySchema,
  type RouteActionSchema,
  type WeightedCluster_ClusterWeightSchema,
} from "@gatewright/crd-types/proto/envoy/config/route/v3/route_components_pb";
import { PreviousHostsPredicateSchema } from "@gatewright/crd-types/proto/envoy/extensions/retry/host/previous_hosts/v3/previous_hosts_pb";
import { FractionalPercent_DenominatorType } from "@gatewright/crd-types/proto/envoy/type/v3/percent_pb";
import type { ForwardAction, HeaderChange, Mirror, Route, WeightedBackend } from "../../ir/index.ts";
import { packAny } from "../proto/index.ts";
import { composeChanges, headerEdit, splitHost } from "./headers.ts";
import { pathEdit } from "./path-edit.ts";
import type { Init } from "../init.ts";

type ActionInit = Init<typeof RouteActionSchema>;
type WeightInit = Init<typeof WeightedCluster_ClusterWeightSchema>;

/** No cluster has this name, and none can: names of ours have a `/`. Requests that are sent there are answered 500. */
const nowhere = "unresolved-backend";

/** What a route that forwards does. */
export function buildForward(action: ForwardAction, { match, requestHeaders }: Route): ActionInit {
  return {
    ...destination(action, requestHeaders),
    clusterNotFoundResponseCode:
      action.failing?.status === 503
        ? RouteAction_ClusterNotFoundResponseCode.SERVICE_UNAVAILABLE
        : RouteAction_ClusterNotFoundResponseCode.INTERNAL_SERVER_ERROR,
    ...(action.rewrite?.path === undefined ? {} : pathRewrite(match, action.rewrite.path)),
    ...timeouts(action),
    ...retries(action),
    requestMirrorPolicies: action.mirrors.map(mirror),
  };
}

/**
 * Whether request headers change otherwise for one backend than for another. Envoy applies what stands with a backend before
 * what stands with its route, and Gateway API means it the other way round: all of it then stands with the backends.
 */
export const changesByBackend = (action: Route["action"]): boolean =>
  action.kind === "forward" &&
  action.backends.some(({ requestHeaders, hostRewrite }) => requestHeaders !== undefined || hostRewrite !== undefined);

function destination(action: ForwardAction, headers: HeaderChange | undefined): ActionInit {
  const { backends, failing } = action;
  const [first, ...others] = backends;
  const byBackend = changesByBackend(action);
  const host = action.rewrite?.host ?? splitHost(headers).host;
  const rewrite: ActionInit =
    host === undefined || byBackend
      ? {}
      : { hostRewriteSpecifier: { case: "hostRewriteLiteral", value: host }, appendXForwardedHost: true };
  if (first !== undefined && others.length + (failing?.weight ?? 0) === 0 && !byBackend && !first.responseHeaders) {
    return { clusterSpecifier: { case: "cluster", value: first.cluster }, ...rewrite };
  }
  const clusters = backends.map((backend) => ({
    ...(byBackend ? ownRequest(backend, splitHost(headers).rest, host) : {}),
    ...weighted(backend),
  }));
  // Envoy takes one random number a request for all that it decides by chance. A route before this one that takes a share
  // would leave the backends with a part of the numbers only, and some of them with nothing.
  if (failing !== undefined) clusters.push({ name: nowhere, weight: failing.weight });
  return { clusterSpecifier: { case: "weightedClusters", value: { clusters } }, ...rewrite };
}

function weighted({ cluster, weight, responseHeaders }: WeightedBackend): WeightInit {
  const response = headerEdit(responseHeaders);
  return {
    name: cluster,
    weight,
    responseHeadersToAdd: [...response.add],
    responseHeadersToRemove: [...response.remove],
  };
}

/** What a request to one backend becomes. */
function ownRequest(
  backend: WeightedBackend,
  rule: HeaderChange | undefined,
  ruleHost: string | undefined,
): WeightInit {
  const { host: setHost, rest } = splitHost(backend.requestHeaders);
  const { add, remove } = composeChanges(rule ?? noChange, rest ?? noChange);
  const host = backend.hostRewrite ?? setHost ?? ruleHost;
  return {
    requestHeadersToRemove: [...remove],
    requestHeadersToAdd: host === undefined ? [...add] : [...add, forwardedHost],
    ...(host === undefined ? {} : { hostRewriteSpecifier: { case: "hostRewriteLiteral", value: host } }),
  };
}

const noChange: HeaderChange = { set: [], add: [], remove: [] };

/** `append_x_forwarded_host` works for rewrites of the route only. This is evaluated before the host is rewritten. */
const forwardedHost: Init<typeof HeaderValueOptionSchema> = {
  header: { key: "x-forwarded-host", value: "%REQ(:AUTHORITY)%" },
  appendAction: HeaderValueOption_HeaderAppendAction.APPEND_IF_EXISTS_OR_ADD,
};

function pathRewrite(match: Route["match"], change: NonNullable<ForwardAction["rewrite"]>["path"]): ActionInit {
  const edit = change && pathEdit(match.path, change);
  switch (edit?.kind) {
    case undefined:
      return {};
    case "replace":
      // A format string.
      return { pathRewrite: edit.path.replaceAll("%", "%%") };
    case "prefix":
      return { prefixRewrite: edit.prefix };
    case "regex":
      return { regexRewrite: { pattern: { regex: edit.pattern }, substitution: edit.substitution } };
  }
}

/** What a stream may do nothing for: Envoy's default, as the connection manager has it. */
const streamIdleMs = 300_000;

function timeouts({ requestTimeoutMs }: ForwardAction): ActionInit {
  // Envoy would give up after 15 seconds; Gateway API has no default.
  const timeout = durationFromMs(requestTimeoutMs ?? 0);
  // "No limit" and a limit beyond that of idle streams are wishes to wait longer than that.
  if (requestTimeoutMs === 0) return { timeout, idleTimeout: durationFromMs(0) };
  if (requestTimeoutMs !== undefined && requestTimeoutMs > streamIdleMs) return { timeout, idleTimeout: timeout };
  return { timeout };
}

/** GEP-1731: connection errors are retried too. https://gateway-api.sigs.k8s.io/geps/gep-1731/ */
const retryOn = "connect-failure,refused-stream,reset,retriable-status-codes";

const previousHosts = {
  name: "envoy.retry_host_predicates.previous_hosts",
  configType: { case: "typedConfig", value: packAny(PreviousHostsPredicateSchema, {}) },
} as const;

function retries({ retry, backendTimeoutMs }: ForwardAction): ActionInit {
  const wanted = retry !== undefined && retry.attempts > 0;
  // The limit for one try is part of the retry policy, whether anything is retried or not.
  const perTry = backendTimeoutMs ? { perTryTimeout: durationFromMs(backendTimeoutMs) } : {};
  if (!wanted) return backendTimeoutMs ? { retryPolicy: perTry } : {};
  const backoffMs = retry.backoffMs === undefined ? undefined : Math.max(1, retry.backoffMs);
  const retryPolicy: Init<typeof RetryPolicySchema> = {
    ...perTry,
    retryOn,
    retriableStatusCodes: [...retry.statusCodes],
    numRetries: retry.attempts,
    // Another endpoint than the one that failed, where there is one.
    retryHostPredicate: [previousHosts],
    hostSelectionRetryMaxAttempts: 5n,
    ...(backoffMs === undefined
      ? {}
      : { retryBackOff: { baseInterval: durationFromMs(backoffMs), maxInterval: durationFromMs(backoffMs * 10) } }),
  };
  return { retryPolicy };
}

const million = 1_000_000;

function mirror({ cluster, fraction }: Mirror): Init<typeof RouteAction_RequestMirrorPolicySchema> {
  const numerator = Math.round((fraction.numerator / fraction.denominator) * million);
  return {
    cluster,
    // Backends choose by host too; a copy should reach what the request would reach.
    disableShadowHostSuffixAppend: true,
    ...(numerator >= million
      ? {}
      : {
          runtimeFraction: {
            defaultValue: { numerator, denominator: FractionalPercent_DenominatorType.MILLION },
          },
        }),
  };
}
