// IR in (`xds/*.in.yaml`), Envoy's configuration out (`xds/*.out.yaml`), and Envoy itself takes it.
import assert from "node:assert/strict";
import type { JsonValue } from "@bufbuild/protobuf";
import type { ProxyKey } from "../../operator/src/ir/index.ts";
import { createGraph } from "../../operator/src/lib/index.ts";
import {
  createXdsTables,
  dumpByType,
  type ResourceType,
  resourceTypes,
  staticConfig,
  type XdsTables,
} from "../../operator/src/xds/index.ts";
import { makeCertificate } from "../support/certificates.ts";
import { refusedByEnvoy, type StaticConfig } from "../support/envoy-validate.ts";
import { checkGolden, checkOrphans, goldenCases } from "../support/golden.ts";
import { createIrSources, type IrFragment, parseIrFragment } from "../support/ir-fragment.ts";

type Input = {
  /** Types of resources that the output shows; all unless given. */
  readonly show?: readonly ResourceType[];
  readonly ir: IrFragment;
};

const cases = goldenCases("xds").map(({ name, input }) => ({ name, input: input as Input }));
const proxy: ProxyKey = "infra/gw";

function build(fragment: IrFragment): XdsTables {
  const graph = createGraph();
  const { ir, apply } = createIrSources(graph);
  const tables = createXdsTables(graph, ir);
  apply(parseIrFragment(fragment));
  graph.settle();
  return tables;
}

function outputOf(tables: XdsTables, show: readonly ResourceType[]) {
  const problems = [...tables.problems.keys()].sort().map((key) => tables.problems.get(key));
  const shown = show.map((type): [string, readonly JsonValue[]] => [type, dumpByType(tables, proxy, type)]);
  return Object.fromEntries([
    ...shown.filter(([, list]) => list.length > 0),
    ...(problems.length > 0 ? [["problems", problems]] : []),
  ]);
}

describe("golden: xds", function () {
  this.timeout(120_000);

  for (const { name, input } of cases) {
    it(name, () => {
      const { show = resourceTypes, ir } = input;
      checkGolden("xds", name, outputOf(build(ir), show));
    });
  }

  it("has no outputs left over", () => checkOrphans("xds"));

  it("is taken by Envoy", async () => {
    assert.ok(cases.length > 0);
    const { certificate, privateKey } = makeCertificate({ dnsNames: ["example.com"] });
    const configs = new Map(
      cases.map(({ name, input }): [string, StaticConfig] => {
        const text = JSON.stringify(staticConfig(build(input.ir), proxy));
        const real = text
          .replaceAll('"CERTIFICATE"', JSON.stringify(certificate))
          .replaceAll('"KEY"', JSON.stringify(privateKey));
        return [name, JSON.parse(real) as StaticConfig];
      }),
    );
    assert.deepEqual(Object.fromEntries(await refusedByEnvoy(configs)), {});
  });
});
