// Gateways in (`infra/*.in.yaml`), what they need in the cluster out (`infra/*.out.yaml`).
import assert from "node:assert/strict";
import { bootstrapNeeds, type DesiredObject, desiredInfra } from "../../operator/src/infra/index.ts";
import { envoyVersion } from "../../operator/src/standalone/envoy-pin.ts";
import { checkGolden, checkOrphans, goldenCases } from "../support/golden.ts";
import { openCase } from "../support/translation-case.ts";

function infraOf(documents: readonly unknown[]): readonly DesiredObject[] {
  const { proxies } = openCase(documents).ir;
  return [...proxies.keys()].sort().flatMap((key) => {
    const proxy = proxies.get(key);
    assert.ok(proxy);
    return desiredInfra(proxy, {
      files: { "bootstrap.json": JSON.stringify(bootstrapNeeds(proxy)) },
      identity: { "ca.crt": "Y2E=", "tls.crt": "Y3J0", "tls.key": "a2V5" },
    });
  });
}

describe("golden: infra", () => {
  for (const { name, documents } of goldenCases("infra")) {
    it(name, () => {
      const objects = infraOf(documents);
      const shown = objects.map((object): [string, object] => [`${object.kind} ${object.metadata.name}`, object]);
      checkGolden("infra", name, Object.fromEntries(shown));
    });
  }

  it("deploys the Envoy that everything is tested with", () => {
    const text = JSON.stringify(infraOf(goldenCases("infra").find(({ name }) => name === "defaults")?.documents ?? []));
    assert.match(text, new RegExp(`"image":"envoyproxy/envoy:distroless-v${envoyVersion}"`));
  });

  it("has no outputs left over", () => checkOrphans("infra"));
});
