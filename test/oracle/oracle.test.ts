import assert from "node:assert/strict";
import { type DescMessage, fromBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { protoRegistry } from "../../operator/src/xds/proto/index.ts";
import { validateMessage } from "../../operator/src/xds/validate/index.ts";
import { build, type Case, caseOf, type Choose, distinct, systematicCases } from "./corpus.ts";
import { buildOracle, judge } from "./judge.ts";

/** What we send to Envoy ourselves, and what a user may put on a route. The oracle links the packages of these. */
const roots = [
  "envoy.config.route.v3.RouteConfiguration",
  "envoy.config.cluster.v3.Cluster",
  "envoy.config.endpoint.v3.ClusterLoadAssignment",
  "envoy.config.listener.v3.Listener",
  "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
  "envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext",
  "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext",
  "envoy.extensions.transport_sockets.tls.v3.Secret",
  "envoy.extensions.filters.http.buffer.v3.BufferPerRoute",
  "envoy.extensions.filters.http.csrf.v3.CsrfPolicy",
  "envoy.extensions.filters.http.fault.v3.HTTPFault",
  "envoy.extensions.filters.http.header_mutation.v3.HeaderMutationPerRoute",
  "envoy.extensions.filters.http.header_to_metadata.v3.Config",
  "envoy.extensions.filters.http.local_ratelimit.v3.LocalRateLimit",
  "envoy.extensions.filters.http.rbac.v3.RBACPerRoute",
].map(messageOf);

describe("validateMessage(), compared with ValidateAll() of go-control-plane", function () {
  this.timeout(300_000);

  before(buildOracle);

  it("agrees at the border of every rule of every type that we send or take", () => {
    const cases = systematicCases(roots);
    assert.ok(cases.length > 8_000, `${cases.length} cases`);
    compare(cases);
  });

  it("agrees on whole messages, made at random", () => {
    const cases = distinct(fc.sample(wholeMessage(), { seed: 40, numRuns: 5_000 }));
    assert.ok(cases.length > 2_000, `${cases.length} cases`);
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
    const root = roots[index(roots.length)];
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
