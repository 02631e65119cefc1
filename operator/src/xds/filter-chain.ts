import { create } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { FilterChainSchema } from "@gatewright/crd-types/proto/envoy/config/listener/v3/listener_components_pb";
import { HttpConnectionManagerSchema } from "@gatewright/crd-types/proto/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb";
import type { FilterChain, Listener } from "../ir/index.ts";
import { downstreamTlsSocket } from "./downstream-tls.ts";
import { wholeConfig } from "./extension/index.ts";
import type { NeutralConfig } from "./filters/index.ts";
import { buildHttpConnectionManager } from "./http-connection-manager.ts";
import type { Init } from "./init.ts";
import { packAny } from "./proto/index.ts";
import { extensionsIn } from "./request-filters.ts";
import { type Encoded, encodeResource, type ProblemDetail, violationsOf } from "./resource.ts";
import { buildTcpProxy } from "./tcp-proxy.ts";

type ChainInit = Init<typeof FilterChainSchema>;

/** A chain with what it has of its listener. */
export type PlacedChain = { readonly chain: FilterChain; readonly place: Pick<Listener, "name" | "accessLog"> };

/** What a chain must know of the resources that it names: naming one that never comes would keep its listener waiting for ever. */
export type ChainContext = {
  /** The name in Envoy of a route table, by its key. */
  readonly routeTableName: (key: string) => string | undefined;
  readonly hasSecret: (name: string) => boolean;
  readonly neutral: NeutralConfig;
};

/** What a filter chain comes to by itself. */
export type ChainBuild = {
  /** Undefined: Envoy would refuse it. */
  readonly encoded: Encoded | undefined;
  readonly violations: readonly ProblemDetail[];
  /** What it is served without. */
  readonly missing: readonly ProblemDetail[];
};

export function buildFilterChain(placed: PlacedChain, context: ChainContext): ChainBuild {
  const { chain } = placed;
  const message = create(FilterChainSchema, initOf(placed, context));
  const violations = [...chainViolations(chain, context), ...violationsOf(FilterChainSchema, message)];
  if (violations.length > 0) return { encoded: undefined, violations, missing: [] };
  const unknown = (chain.http?.extensions ?? []).filter((name) => context.neutral(name) === undefined);
  const missing = unknown.map((name) => ({ path: "http_filters", message: `the filter ${name} is not known` }));
  return { encoded: encodeResource(FilterChainSchema, message), violations, missing };
}

/** What Envoy checks beyond the rules of the fields, and what would never become ready. */
function chainViolations(chain: FilterChain, { hasSecret }: ChainContext): readonly ProblemDetail[] {
  const details: ProblemDetail[] = [];
  const badName = chain.serverNames.find((name) => !/^(\*\.)?[^*]+$/.test(name));
  if (badName !== undefined) {
    details.push({ path: "filter_chain_match", message: `${JSON.stringify(badName)} is no server name` });
  }
  if (chain.tls !== undefined && !chain.tls.certificates.some(hasSecret)) {
    details.push({ path: "transport_socket", message: "there is no usable certificate" });
  }
  // Requests would pass without, or be kept waiting for it.
  const strange = extensionsIn(chain).filter(({ filter, config }) => wholeConfig(filter, config) === undefined);
  details.push(
    ...strange.map(({ filter }) => ({ path: "http_filters", message: `the filter ${filter} is not known` })),
  );
  return details;
}

/** Envoy compares them in lower case, and takes none twice. */
const serverNamesOf = ({ serverNames }: FilterChain): readonly string[] => [
  ...new Set(serverNames.map((name) => name.toLowerCase())),
];

/** What chooses a chain. No two chains of a listener may have one of these in common. */
export const matchesOf = (chain: FilterChain): readonly string[] => {
  const transport = isEncrypted(chain) ? "TLS" : "plain text";
  const serverNames = serverNamesOf(chain);
  return serverNames.length === 0 ? [`any ${transport}`] : serverNames.map((name) => `${transport} for ${name}`);
};

function initOf({ chain, place }: PlacedChain, context: ChainContext): ChainInit {
  const { hasSecret } = context;
  return {
    name: chain.name,
    filterChainMatch: {
      serverNames: [...serverNamesOf(chain)],
      transportProtocol: isEncrypted(chain) ? "tls" : "",
    },
    filters: [buildNetworkFilter(chain, place, context)],
    ...(chain.tls === undefined ? {} : { transportSocket: downstreamTlsSocket(chain.tls, hasSecret) }),
    // A client that connects and says nothing.
    transportSocketConnectTimeout: durationFromMs(10_000),
  };
}

export const isEncrypted = ({ tls, passthrough }: FilterChain): boolean => tls !== undefined || passthrough === true;

function buildNetworkFilter(
  { http, tcp }: FilterChain,
  { name: statPrefix, accessLog }: PlacedChain["place"],
  { routeTableName, neutral }: ChainContext,
): NonNullable<ChainInit["filters"]>[number] {
  if (http === undefined)
    return {
      name: "envoy.filters.network.tcp_proxy",
      configType: { case: "typedConfig", value: buildTcpProxy(tcp, { statPrefix, accessLog }) },
    };
  const routeTable = routeTableName(http.routeTable);
  const manager = buildHttpConnectionManager(http, { statPrefix, routeTable, accessLog, neutral });
  return {
    name: "envoy.filters.network.http_connection_manager",
    configType: { case: "typedConfig", value: packAny(HttpConnectionManagerSchema, manager) },
  };
}
