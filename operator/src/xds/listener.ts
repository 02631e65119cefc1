import { create } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { ListenerSchema } from "@gatewright/crd-types/proto/envoy/config/listener/v3/listener_pb";
import type { ListenerFilterSchema } from "@gatewright/crd-types/proto/envoy/config/listener/v3/listener_components_pb";
import { TlsInspectorSchema } from "@gatewright/crd-types/proto/envoy/extensions/filters/listener/tls_inspector/v3/tls_inspector_pb";
import type { FilterChain, Listener } from "../ir/index.ts";
import { boundAddress } from "./bound-address.ts";
import { type ChainBuild, isEncrypted, matchesOf } from "./filter-chain.ts";
import type { Init } from "./init.ts";
import { packAny, typeUrl } from "./proto/index.ts";
import {
  type Build,
  type Encoded,
  encodeChecked,
  encodedBody,
  type ProblemDetail,
  type XdsProblem,
} from "./resource.ts";
import { buildUdpListener } from "./udp-listener.ts";

/**
 * A listener with all its filter chains, made from their bytes. Nothing outside of a chain depends on what is inside of one: Envoy then
 * exchanges the chains that differ and drains only their connections.
 */
export function buildListener(listener: Listener, chainOf: (name: string) => ChainBuild | undefined): Build {
  const about = aboutListener(listener);
  if (listener.udp !== undefined) return encodeChecked(ListenerSchema, buildUdpListener(listener, listener.udp), about);
  const { chains, problems } = fittingChains(listener, chainOf);
  if (chains.length === 0) return { encoded: undefined, problems };
  const head = create(ListenerSchema, {
    name: listener.name,
    statPrefix: listener.name,
    address: boundAddress(listener.bind),
    listenerFilters: listener.filterChains.some(isEncrypted) ? [tlsInspector] : [],
    // As Envoy recommends for an edge.
    perConnectionBufferLimitBytes: 32_768,
  });
  const build = encodeChecked(ListenerSchema, head, about);
  return { encoded: build.encoded && withChains(build.encoded, chains), problems: [...problems, ...build.problems] };
}

/** The number of `filter_chains` in Listener. */
const filterChainsField = ListenerSchema.field.filterChains.number;

function withChains({ body }: Encoded, chains: readonly Encoded[]): Encoded {
  const writer = new BinaryWriter().raw(body);
  for (const chain of chains) writer.tag(filterChainsField, WireType.LengthDelimited).bytes(chain.body);
  return encodedBody(typeUrl(ListenerSchema), writer.finish());
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
function fittingChains(
  listener: Listener,
  chainOf: (name: string) => ChainBuild | undefined,
): { readonly chains: readonly Encoded[]; readonly problems: readonly XdsProblem[] } {
  const chains: Encoded[] = [];
  const problems: XdsProblem[] = [];
  const taken = new Set<string>();
  for (const chain of listener.filterChains) {
    const { encoded, violations = [], missing = [] } = chainOf(chain.name) ?? {};
    const matches = matchesOf(chain);
    const twice = matches.filter((match) => taken.has(match)).slice(0, 1);
    const wrong = [...twice.map(takenAlready), ...violations];
    if (encoded === undefined || wrong.length > 0) {
      problems.push(leftOut(listener, chain, wrong));
      continue;
    }
    if (missing.length > 0) problems.push(leftOut(listener, chain, missing));
    for (const match of matches) taken.add(match);
    chains.push(encoded);
  }
  return { chains, problems };
}

const takenAlready = (match: string): ProblemDetail => ({
  path: "filter_chain_match",
  message: `another filter chain takes ${match} already`,
});

function leftOut(listener: Listener, { name }: FilterChain, details: readonly ProblemDetail[]): XdsProblem {
  const within = ({ path, message }: ProblemDetail) => ({
    path: `filter_chains[${JSON.stringify(name)}]${path === "" ? "" : `.${path}`}`,
    message,
  });
  return { ...aboutListener(listener), effect: "left-out", violations: details.map(within) };
}
