import type { Any } from "@bufbuild/protobuf/wkt";
import {
  CompositeSchema,
  ExecuteFilterActionSchema,
} from "@gatewright/crd-types/proto/envoy/extensions/filters/http/composite/v3/composite_pb";
import { HTTPFaultSchema } from "@gatewright/crd-types/proto/envoy/extensions/filters/http/fault/v3/fault_pb";
import { ConfigSchema } from "@gatewright/crd-types/proto/envoy/extensions/filters/http/set_filter_state/v3/set_filter_state_pb";
import { FractionalPercent_DenominatorType } from "@gatewright/crd-types/proto/envoy/type/v3/percent_pb";
import { type ListenerFilters, type RequestFilter, requestFilterName } from "../../ir/index.ts";
import { adsConfigSource } from "../config-source.ts";
import { wholeConfig } from "../extension/index.ts";
import type { Init } from "../init.ts";
import { packAny } from "../proto/index.ts";
import type { ChainBuilder, HttpFilterInit } from "./chain.ts";
import { buildExternalAuth } from "./external-auth.ts";
import { type HostMatch, matchHosts, matchOf } from "./hosts.ts";

type Action = Init<typeof ExecuteFilterActionSchema>;

/**
 * What listeners do with requests before a route is chosen: first the first filter of each listener of the chain, then the second, and
 * so on. Envoy chooses by the request's host whose filter it is. After the last filter of a listener the route is chosen anew.
 *
 * Not one entry with a chain inside for each listener: Envoy 1.40 skips what follows a filter that waits, as for the answer of a server.
 * Not one entry for each filter of each listener: a request would be held against all of them.
 *
 * https://www.envoyproxy.io/docs/envoy/v1.40.0/configuration/http/http_filters/composite_filter
 */
export const requestFilterEntries: ChainBuilder = ({ requestFilters = [] }) => {
  const filtering = requestFilters
    .filter(({ filters }) => filters.length > 0)
    .map((listener): Filtering => ({ match: matchOf(listener, requestFilters), filters: listener.filters }));
  const length = Math.max(0, ...filtering.map(({ filters }) => filters.length + 1));
  return Array.from({ length }, (_, place) => entryAt(place, filtering));
};

type Filtering = Pick<ListenerFilters, "filters"> & { readonly match: HostMatch };

function entryAt(place: number, listeners: readonly Filtering[]): HttpFilterInit {
  const choices = listeners.flatMap(({ match, filters }) => {
    if (place > filters.length) return [];
    const filter = filters[place];
    const action = filter === undefined ? chooseRoute : actionOf(filter);
    return [{ match, action: packAny(ExecuteFilterActionSchema, action) }];
  });
  return {
    name: `gatewright.request_filters.${place}`,
    configType: { case: "typedConfig", value: packAny(CompositeSchema, { matcher: matchHosts(choices) }) },
  };
}

const inline = (name: string, value: Any): Action => ({
  typedConfig: { name, typedConfig: value },
});

/** Envoy chose a route when the request came, and keeps it unless it is told that something has changed. */
const chooseRoute: Action = inline(
  "envoy.filters.http.set_filter_state",
  packAny(ConfigSchema, { clearRouteCache: true }),
);

/**
 * An HTTPFilter comes by ECDS, so that an edit drains no connections, and one that Envoy refuses keeps nothing else away. Where there is
 * none, requests are answered 500.
 */
function actionOf(filter: RequestFilter): Action {
  if (filter.kind === "external-auth") return inline("envoy.filters.http.ext_authz", buildExternalAuth(filter));
  if (filter.kind === "respond") return inline("envoy.filters.http.fault", answerAlways(filter.status));
  const whole = wholeConfig(filter.filter, filter.config);
  return {
    dynamicConfig: {
      name: requestFilterName(filter),
      configDiscovery: { configSource: adsConfigSource(), typeUrls: whole === undefined ? [] : [whole.typeUrl] },
    },
  };
}

const answerAlways = (status: number): Any =>
  packAny(HTTPFaultSchema, {
    abort: {
      errorType: { case: "httpStatus", value: status },
      percentage: { numerator: 100, denominator: FractionalPercent_DenominatorType.HUNDRED },
    },
  });
