import { durationFromMs } from "@bufbuild/protobuf/wkt";
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
import { headerEdit, splitHost } from "./headers.ts";
import { pathEdit } from "./path-edit.ts";
import type { Init } from "../init.ts";

type ActionInit = Init<typeof RouteActionSchema>;
type WeightInit = Init<typeof WeightedCluster_ClusterWeightSchema>;

/** No cluster has this name, and none can: names of ours have a `/`. Requests that are sent there are answered 500. */
const nowhere = "unresolved-backend";

/** What a route that forwards does. `headers` are its request headers, whose `Host` is a rewrite for Envoy. */
export function buildForward(
  action: ForwardAction,
  match: Route["match"],
  headers: HeaderChange | undefined,
): ActionInit {
  const host = action.rewrite?.host ?? splitHost(headers).host;
  return {
    ...destination(action, host),
    clusterNotFoundResponseCode: RouteAction_ClusterNotFoundResponseCode.INTERNAL_SERVER_ERROR,
    ...(action.rewrite?.path === undefined ? {} : pathRewrite(match, action.rewrite.path)),
    ...timeouts(action),
    ...retries(action),
    requestMirrorPolicies: action.mirrors.map(mirror),
  };
}

function destination({ backends, failing }: ForwardAction, routeHost: string | undefined): ActionInit {
  const [first, ...others] = backends;
  if (first !== undefined && others.length === 0 && failing === undefined && !changesRequest(first)) {
    return { clusterSpecifier: { case: "cluster", value: first.cluster }, ...hostRewrite(routeHost) };
  }
  const ownHosts = backends.some((backend) => ownHost(backend) !== undefined);
  const clusters = backends.map((backend) => weighted(backend, ownHosts ? routeHost : undefined));
  // Envoy takes one random number a request for all that it decides by chance. A route before this one that takes a share
  // would leave the backends with a part of the numbers only, and some of them with nothing.
  if (failing !== undefined) clusters.push({ name: nowhere, weight: failing.weight });
  return {
    clusterSpecifier: { case: "weightedClusters", value: { clusters } },
    ...hostRewrite(ownHosts ? undefined : routeHost),
    appendXForwardedHost: ownHosts || routeHost !== undefined,
  };
}

const changesRequest = ({ requestHeaders, responseHeaders, hostRewrite: host }: WeightedBackend) =>
  requestHeaders !== undefined || responseHeaders !== undefined || host !== undefined;

const ownHost = ({ hostRewrite: host, requestHeaders }: WeightedBackend) => host ?? splitHost(requestHeaders).host;

function weighted(backend: WeightedBackend, routeHost: string | undefined): WeightInit {
  const request = headerEdit(splitHost(backend.requestHeaders).rest);
  const response = headerEdit(backend.responseHeaders);
  const host = ownHost(backend) ?? routeHost;
  return {
    name: backend.cluster,
    weight: backend.weight,
    requestHeadersToAdd: [...request.add],
    requestHeadersToRemove: [...request.remove],
    responseHeadersToAdd: [...response.add],
    responseHeadersToRemove: [...response.remove],
    ...(host === undefined ? {} : { hostRewriteSpecifier: { case: "hostRewriteLiteral", value: host } }),
  };
}

/** The backend learns the host that the client asked for from `x-forwarded-host`. */
const hostRewrite = (host: string | undefined): ActionInit =>
  host === undefined
    ? {}
    : { hostRewriteSpecifier: { case: "hostRewriteLiteral", value: host }, appendXForwardedHost: true };

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
