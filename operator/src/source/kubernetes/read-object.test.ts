import assert from "node:assert/strict";
import type { RawObject } from "../../kubernetes/index.ts";
import type { StoredKind } from "../../store/index.ts";
import { readClusterObject } from "./read-object.ts";

const metadata = { name: "one", namespace: "a", resourceVersion: "7", generation: 3, uid: "u" };

function read(kind: StoredKind, raw: RawObject) {
  const reading = readClusterObject(kind, raw);
  assert.ok(reading.kind === "change", JSON.stringify(reading));
  return reading.change;
}

describe("readClusterObject()", () => {
  it("names what lists leave unnamed, by the version that translation reads", () => {
    const { key, object } = read("ReferenceGrant", {
      metadata,
      apiVersion: "gateway.networking.k8s.io/v1beta1",
      spec: { from: [{ group: "", kind: "Service", namespace: "b" }], to: [{ group: "", kind: "Secret" }] },
    });
    assert.equal(key, "a/one");
    assert.equal(object?.apiVersion, "gateway.networking.k8s.io/v1");
    assert.equal(object?.kind, "ReferenceGrant");
    assert.equal(read("Namespace", { metadata: { name: "a", resourceVersion: "1" } }).key, "a");
  });

  it("keeps generation, resourceVersion and status, and drops what nobody reads", () => {
    const annotations = { "kubectl.kubernetes.io/last-applied-configuration": "{}", mine: "yes" };
    const status = { conditions: [{ type: "Odd", whatever: 1 }], whatever: true };
    const { object } = read("GatewayClass", {
      metadata: { ...metadata, namespace: undefined as never, managedFields: [{ manager: "kubectl" }], annotations },
      spec: { controllerName: "example.com/x" },
      status,
    });
    const { managedFields, ...kept } = object?.metadata ?? {};
    assert.equal(managedFields, undefined);
    assert.deepEqual(
      { ...kept, namespace: undefined },
      { ...metadata, namespace: undefined, annotations: { mine: "yes" } },
    );
    assert.deepEqual((object as { status?: unknown }).status, status);
  });

  it("gives a status to nobody who has none", () => {
    const { object } = read("GatewayClass", {
      metadata: { name: "one", resourceVersion: "1" },
      spec: { controllerName: "example.com/x" },
    });
    assert.ok(object !== undefined && !("status" in object));
  });

  it("fills in defaults, and takes null for nothing", () => {
    const { object } = read("HTTPRoute", { metadata, spec: { rules: [{ backendRefs: [{ name: "s", port: 80 }] }] } });
    assert.ok(object?.kind === "HTTPRoute");
    assert.equal(object.spec.rules?.[0]?.backendRefs?.[0]?.weight, 1);
    assert.deepEqual(object.spec.rules?.[0]?.matches, [{ path: { type: "PathPrefix", value: "/" } }]);
    const slice = read("EndpointSlice", { metadata, addressType: "IPv4", endpoints: null, ports: null }).object;
    assert.ok(slice?.kind === "EndpointSlice");
    assert.equal(slice.endpoints, undefined);
  });

  it("says what does not fit", () => {
    const reading = readClusterObject("HTTPRoute", { metadata, spec: { rules: [{ filters: [{ type: "Newer" }] }] } });
    assert.ok(reading.kind === "problems");
    assert.match(reading.problems[0] ?? "", /^spec\.rules\[0\]\.filters\[0\]\.type: Unsupported value: "Newer"/);
  });

  it("never quotes a Secret", () => {
    const reading = readClusterObject("Secret", { metadata, data: { "tls.key": 12_345 } });
    assert.deepEqual(reading, { kind: "problems", problems: ["data.tls.key is not valid"] });
  });

  it("keeps of ConfigMaps what may be certificates", () => {
    const large = "x".repeat(20_000);
    const bundle = `-----BEGIN CERTIFICATE-----\n${large}`;
    const data = { "ca.crt": bundle, "dashboard.json": large, small: "y" };
    const { object } = read("ConfigMap", { metadata, data, binaryData: { big: "eA==" } });
    assert.ok(object?.kind === "ConfigMap");
    assert.deepEqual(object.data, { "ca.crt": bundle, small: "y" });
    assert.equal(object.binaryData, undefined);
  });

  it("keeps of Secrets what may be certificates and their keys", () => {
    const data = { "tls.crt": "eA==", "tls.key": "eA==", "ca.crt": "eA==", password: "eA==", "config.json": 7 };
    const { object } = read("Secret", { metadata, type: "Opaque", data });
    assert.ok(object?.kind === "Secret");
    assert.deepEqual(object.data, { "tls.crt": "eA==", "tls.key": "eA==", "ca.crt": "eA==" });
    assert.equal(object.type, "Opaque");
  });

  it("leaves the object that it is given as it is", () => {
    const raw = { metadata: { ...metadata, managedFields: [] }, spec: { rules: [{}] } };
    const before = structuredClone(raw);
    read("HTTPRoute", raw);
    assert.deepEqual(raw, before);
  });
});
