import { create } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { ListenerSchema } from "@gatewright/crd-types/proto/envoy/config/listener/v3/listener_pb";
import {
  FilterChainSchema,
  type ListenerFilterSchema,
} from "@gatewright/crd-types/proto/envoy/config/listener/v3/listener_components_pb";
import { TlsInspectorSchema } from "@gatewright/crd-types/proto/envoy/extensions/filters/listener/tls_inspector/v3/tls_inspector_pb";
import { HttpConnectionManagerSchema } from "@gatewright/crd-types/proto/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb";
import type { FilterChain, Listener } from "../ir/index.ts";
import { boundAddress } from "./bound-address.ts";
import { downstreamTlsSocket } from "./downstream-tls.ts";
import { wholeConfig } from "./extension/index.ts";
import type { NeutralConfig } from "./filters/index.ts";
import { buildHttpConnectionManager } from "./http-connection-manager.ts";
import { extensionsIn } from "./request-filters.ts";
import { buildTcpProxy } from "./tcp-proxy.ts";
import { buildUdpListener } from "./udp-listener.ts";
import { packAny } from "./proto/index.ts";
import { type Build, encodeChecked, type ProblemDetail, violationsOf, type XdsProblem } from "./resource.ts";
import type { Init } from "./init.ts";

type ChainInit = Init<typeof FilterChainSchema>;

/** What a listener must know of the resources that it names: naming one that never comes would keep it waiting for ever. */
export type ListenerContext = {
  /** The name in Envoy of a route table, by its key. */
  readonly routeTableName: (key: string) => string | undefined;
  readonly hasSecret: (name: string) => boolean;
  readonly neutral: NeutralConfig;
};

/**
 * A listener with all its filter chains. Nothing outside of a chain depends on what is inside of one: Envoy then exchanges
 * the chains that differ and drains only their connections.
 */
export function buildListener(listener: Listener, context: ListenerContext): Build {
  const about = aboutListener(listener);
  if (listener.udp !== undefined) return encodeChecked(ListenerSchema, buildUdpListener(listener, listener.udp), about);
  const { chains, problems } = buildChains(listener, context);
  if (chains.length === 0) return { encoded: undefined, problems };
  const message = create(ListenerSchema, {
    name: listener.name,
    statPrefix: listener.name,
    address: boundAddress(listener.bind),
    listenerFilters: listener.filterChains.some(isEncrypted) ? [tlsInspector] : [],
    filterChains: [...chains],
    // As Envoy recommends for an edge.
    perConnectionBufferLimitBytes: 32_768,
  });
  const build = encodeChecked(ListenerSchema, message, about);
  return { ...build, problems: [...problems, ...build.problems] };
}

function aboutListener({ proxy, name }: Listener) {
  const slash = proxy.indexOf("/");
  const origin = { kind: "Gateway", namespace: proxy.slice(0, slash), name: proxy.slice(slash + 1) };
  return { type: "listener", resource: name, proxy, origin } as const;
}

const tlsInspector: Init<typeof ListenerFilterSchema> = {
  name: "envoy.filters.listener.tls_inspector",
  configType: { case: "typedConfig", value: packAny(TlsInspectorSchema, {}) },
};

/** A chain that Envoy would refuse is left out: one bad chain makes it refuse them all. */
function buildChains(
  listener: Listener,
  context: ListenerContext,
): { readonly chains: readonly ChainInit[]; readonly problems: readonly XdsProblem[] } {
  const chains: ChainInit[] = [];
  const problems: XdsProblem[] = [];
  const taken = new Set<string>();
  for (const chain of listener.filterChains) {
    const built = buildChain(chain, listener, context);
    const violations = [
      ...chainViolations(chain, taken, context),
      ...violationsOf(FilterChainSchema, create(FilterChainSchema, built)),
    ];
    if (violations.length > 0) {
      problems.push(leftOut(listener, chain, violations));
      continue;
    }
    const unknown = (chain.http?.extensions ?? []).filter((name) => context.neutral(name) === undefined);
    if (unknown.length > 0) {
      const details = unknown.map((name) => ({ path: "http_filters", message: `the filter ${name} is not known` }));
      problems.push(leftOut(listener, chain, details));
    }
    for (const match of matchesOf(chain)) taken.add(match);
    chains.push(built);
  }
  return { chains, problems };
}

function leftOut(listener: Listener, { name }: FilterChain, details: readonly ProblemDetail[]): XdsProblem {
  const within = ({ path, message }: ProblemDetail) => ({
    path: `filter_chains[${JSON.stringify(name)}]${path === "" ? "" : `.${path}`}`,
    message,
  });
  return { ...aboutListener(listener), effect: "left-out", violations: details.map(within) };
}

/** What Envoy checks beyond the rules of the fields, and what would never become ready. */
function chainViolations(
  chain: FilterChain,
  taken: ReadonlySet<string>,
  { hasSecret }: ListenerContext,
): readonly ProblemDetail[] {
  const twice = matchesOf(chain).find((match) => taken.has(match));
  const details: ProblemDetail[] = [];
  if (twice !== undefined) {
    details.push({ path: "filter_chain_match", message: `another filter chain takes ${twice} already` });
  }
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
const matchesOf = (chain: FilterChain): readonly string[] => {
  const transport = isEncrypted(chain) ? "TLS" : "plain text";
  const serverNames = serverNamesOf(chain);
  return serverNames.length === 0 ? [`any ${transport}`] : serverNames.map((name) => `${transport} for ${name}`);
};

function buildChain(chain: FilterChain, listener: Listener, context: ListenerContext): ChainInit {
  const { hasSecret } = context;
  return {
    name: chain.name,
    filterChainMatch: {
      serverNames: [...serverNamesOf(chain)],
      transportProtocol: isEncrypted(chain) ? "tls" : "",
    },
    filters: [buildNetworkFilter(chain, listener, context)],
    ...(chain.tls === undefined ? {} : { transportSocket: downstreamTlsSocket(chain.tls, hasSecret) }),
    // A client that connects and says nothing.
    transportSocketConnectTimeout: durationFromMs(10_000),
  };
}

const isEncrypted = ({ tls, passthrough }: FilterChain): boolean => tls !== undefined || passthrough === true;

function buildNetworkFilter(
  { http, tcp }: FilterChain,
  listener: Listener,
  { routeTableName, neutral }: ListenerContext,
): NonNullable<ChainInit["filters"]>[number] {
  const { name: statPrefix, accessLog } = listener;
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
