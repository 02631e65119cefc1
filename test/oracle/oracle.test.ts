import assert from "node:assert/strict";
import { type DescMessage, fromBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { protoRegistry } from "../../operator/src/xds/proto/index.ts";
import { knownFilters } from "../../operator/src/xds/extension/index.ts";
import { validateMessage } from "../../operator/src/xds/validate/index.ts";
import { build, type Case, caseOf, type Choose, distinct, systematicCases } from "./corpus.ts";
import { buildOracle, judge } from "./judge.ts";

/** What we send to Envoy ourselves. The oracle links the packages of these. */
const sent = [
  "envoy.config.bootstrap.v3.Bootstrap",
  "envoy.config.cluster.v3.Cluster",
  "envoy.config.endpoint.v3.ClusterLoadAssignment",
  "envoy.config.listener.v3.Listener",
  "envoy.config.route.v3.RouteConfiguration",
  "envoy.extensions.access_loggers.file.v3.FileAccessLog",
  "envoy.extensions.access_loggers.stream.v3.StdoutAccessLog",
  "envoy.extensions.filters.http.buffer.v3.Buffer",
  "envoy.extensions.filters.http.cors.v3.CorsPolicy",
  "envoy.extensions.filters.http.header_mutation.v3.HeaderMutation",
  "envoy.extensions.filters.http.local_ratelimit.v3.LocalRateLimit",
  "envoy.extensions.filters.http.lua.v3.Lua",
  "envoy.extensions.filters.http.lua.v3.LuaPerRoute",
  "envoy.extensions.filters.http.rbac.v3.RBAC",
  "envoy.extensions.filters.http.router.v3.Router",
  "envoy.extensions.filters.listener.tls_inspector.v3.TlsInspector",
  "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
  "envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy",
  "envoy.extensions.filters.udp.udp_proxy.v3.Route",
  "envoy.extensions.filters.udp.udp_proxy.v3.UdpProxyConfig",
  "envoy.extensions.resource_monitors.downstream_connections.v3.DownstreamConnectionsConfig",
  "envoy.extensions.resource_monitors.fixed_heap.v3.FixedHeapConfig",
  "envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext",
  "envoy.extensions.transport_sockets.tls.v3.Secret",
  "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext",
  "envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
].map(messageOf);

/** What a user may put on a route, and into that. */
const perRoute = [...knownFilters.values()].flatMap(({ perRoute: desc, nested }) => [desc, ...nested.map(messageOf)]);

const roots = [...sent, ...perRoute];
const large = roots.filter(({ fields }) => fields.length >= 8);

describe("validateMessage(), compared with ValidateAll() of go-control-plane", function () {
  this.timeout(300_000);

  before(buildOracle);

  it("agrees at the border of every rule of every type that we send or take", () => {
    const cases = systematicCases(roots);
    assert.ok(cases.length > 13_000, `${cases.length} cases`);
    compare(cases);
  });

  it("agrees on whole messages, made at random", () => {
    const cases = distinct(fc.sample(wholeMessage(), { seed: 40, numRuns: 15_000 }));
    assert.ok(cases.length > 7_000, `${cases.length} cases`);
    compare(cases);
  });
});

/** Half of the messages keep the rules throughout, as far as that can be arranged; the others break a few. */
function wholeMessage(): fc.Arbitrary<Case> {
  return fc.integer().map((seed) => {
    const random = pseudoRandom(seed);
    const index = (length: number) => Math.floor(random() * length);
    const edgesPerMille = index(2) === 0 ? 0 : 250;
    const choose: Choose = {
      optional: (_, depth) => index(4 + depth * 2) === 0,
      edge: () => edgesPerMille > 0 && index(1_000) < edgesPerMille,
      index,
    };
    // Small ones are soon tried in all their forms.
    const pool = index(2) === 0 ? large : roots;
    const root = pool[index(pool.length)];
    assert.ok(root !== undefined);
    return caseOf(build(root, choose), "a whole message");
  });
}

/** mulberry32: a message takes hundreds of choices, which fast-check would draw far too slowly one by one. */
function pseudoRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function compare(cases: readonly Case[]) {
  const verdicts = judge(cases);
  assert.equal(verdicts.length, cases.length);
  const counts = { valid: 0, invalid: 0 };
  cases.forEach(({ typeName, bytes, tries }, index) => {
    const verdict = verdicts[index] ?? "";
    const [expected] = verdict.split(" ", 1);
    const desc = messageOf(typeName);
    const message = fromBinary(desc, bytes);
    const result = validateMessage(desc, message);
    if (result.kind !== expected) {
      assert.fail(
        [`${typeName}, ${tries}`, Buffer.from(bytes).toString("base64"), verdict, JSON.stringify(result)].join("\n"),
      );
    }
    counts[result.kind]++;
  });
  assert.ok(Math.min(counts.valid, counts.invalid) > cases.length / 10, `one-sided: ${JSON.stringify(counts)}`);
}

function messageOf(typeName: string): DescMessage {
  const desc = protoRegistry().getMessage(typeName);
  assert.ok(desc !== undefined, typeName);
  return desc;
}
