// Whatever the IR says, also what translation should never let it say: Envoy takes what is built from it.
import assert from "node:assert/strict";
import fc from "fast-check";
import { createGraph, Sensitive } from "../../operator/src/lib/index.ts";
import { createXdsTables, staticConfig } from "../../operator/src/xds/index.ts";
import { arbitraryIr } from "../support/arbitrary-ir.ts";
import { makeCertificate } from "../support/certificates.ts";
import { refusedByEnvoy, type StaticConfig } from "../support/envoy-validate.ts";
import { createIrSources, type IrFragment } from "../support/ir-fragment.ts";

const proxy = "infra/gw";

function configOf(fragment: IrFragment): StaticConfig {
  const graph = createGraph();
  const { ir, apply } = createIrSources(graph);
  const tables = createXdsTables(graph, ir);
  apply(fragment);
  graph.settle();
  return staticConfig(tables, proxy);
}

describe("xDS of any IR", function () {
  this.timeout(120_000);

  it("is taken by Envoy", async () => {
    const { certificate, privateKey } = makeCertificate({ dnsNames: ["example.com"] });
    const secret = { name: "team-a/cert", certificateChain: certificate, privateKey: new Sensitive(privateKey) };
    const seed = Date.now() % 2 ** 31;
    const fragments = fc.sample(arbitraryIr(secret), { numRuns: 100, seed });
    const configs = new Map(fragments.map((fragment, index) => [`${index} of seed ${seed}`, configOf(fragment)]));
    assert.deepEqual(Object.fromEntries(await refusedByEnvoy(configs)), {});
  });
});
