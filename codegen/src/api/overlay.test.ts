import assert from "node:assert/strict";
import path from "node:path";
import { parse } from "yaml";
import { buildApitypes, readModel } from "./apitypes.ts";
import { emitApi, emitConstructsOf, emitCrds, emitOverlayCrds } from "./emit.ts";
import type { Model } from "./model.ts";
import { overlayName, overlayRequest, request } from "./modules.ts";
import { verifyApi } from "./verify.ts";

describe("the overlay of the Gateway API's types", function () {
  this.timeout(300_000);
  let upstream: Model;
  let overlay: Model;

  before(async () => {
    await buildApitypes(() => {});
    upstream = await readModel(request);
    overlay = await readModel(overlayRequest);
  });

  it("changes the field, the rules about it and what is required beside it, and nothing else", () => {
    const released = emitCrds(upstream);
    const overlaid = emitOverlayCrds(overlay, overlayName);
    assert.equal(overlaid.size, 2);
    for (const [file, text] of overlaid) {
      const changes = differences(parse(released.get(`experimental/${path.basename(file)}`) ?? ""), parse(text));
      assert.deepEqual(
        [...new Set(changes.map(placeOf))].toSorted(),
        file.includes("gateways")
          ? ["metadata.annotations.gatewright.dev/overlay", ...frontendChanges].toSorted()
          : ["metadata.annotations.gatewright.dev/overlay", ...policyChanges].toSorted(),
        file,
      );
    }
  });

  it("is written beside what was released, and in good form", () => {
    const files = emitApi(upstream, overlay);
    assert.deepEqual(verifyApi(files, upstream.kinds), []);
    const plain = emitApi(upstream);
    for (const [file, text] of plain) if (file !== "schemas.ts") assert.equal(files.get(file), text, file);
    const added = [...files.keys()].filter((file) => !plain.has(file));
    assert.deepEqual(
      added.toSorted(),
      ["v1", "v1alpha3", "v1beta1"].map((version) => `${overlayName}/gateway/${version}.ts`),
    );
    const types = files.get(`${overlayName}/gateway/v1.ts`) ?? "";
    assert.equal(types.match(/readonly clusterTrustBundleRef\?: ClusterTrustBundleObjectRef;/g)?.length, 2);
    const constructs = emitConstructsOf(overlay, "../..");
    assert.match(constructs.get("backend-tls-policy.ts") ?? "", /crd-types\/cluster-trust-bundle-ref\/gateway\/v1"/);
  });
});

const policyChanges = ["properties.clusterTrustBundleRef", "x-kubernetes-validations"];
const frontendChanges = [...policyChanges, "required"];

/** Within what is validated. */
const placeOf = (change: string): string =>
  change.replace(/^spec\.versions\..*\.validation\.(?=[prx])/, "").replace(/(?<=x-kubernetes-validations)\..*/, "");

/** Paths at which two values differ. */
function differences(left: unknown, right: unknown, at = ""): readonly string[] {
  if (Object.is(left, right)) return [];
  if (!isTree(left) || !isTree(right)) return [at];
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].flatMap((key) => {
    const inner = /^\d+$/.test(key) ? at : at === "" ? key : `${at}.${key}`;
    return differences(Reflect.get(left, key), Reflect.get(right, key), inner);
  });
}

const isTree = (value: unknown): value is object => typeof value === "object" && value !== null;
