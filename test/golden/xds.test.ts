// IR in (`xds/*.in.yaml`), Envoy's configuration out (`xds/*.out.yaml`), and Envoy itself takes it.
import assert from "node:assert/strict";
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
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
import { refusedByEnvoy } from "../support/envoy-validate.ts";
import { checkGolden, checkOrphans, goldenCases } from "../support/golden.ts";
import { createIrSources, type IrFragment, parseIrFragment } from "../support/ir-fragment.ts";

type Input = {
  /** Types of resources that the output shows; all unless given. */
  readonly show?: readonly ResourceType[];
  readonly ir: IrFragment;
};

const isInput = (input: unknown): input is Input => typeof input === "object" && input !== null && "ir" in input;

const cases = goldenCases("xds").map(({ name, input }) => {
  assert.ok(isInput(input), `${name}.in.yaml needs an ir`);
  return { name, input };
});
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
    const inlined = (value: JsonValue): JsonValue => {
      if (value === "CERTIFICATE") return certificate;
      if (value === "KEY") return privateKey;
      if (typeof value !== "object" || value === null) return value;
      return Array.isArray(value) ? value.map(inlined) : inlinedObject(value);
    };
    const inlinedObject = (object: JsonObject): JsonObject =>
      Object.fromEntries(Object.entries(object).map(([name, value]) => [name, inlined(value)]));
    const configs = new Map(
      cases.map(({ name, input }) => [name, inlinedObject(staticConfig(build(input.ir), proxy))]),
    );
    assert.deepEqual(Object.fromEntries(await refusedByEnvoy(configs)), {});
  });
});
