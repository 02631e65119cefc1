import assert from "node:assert/strict";
import { makeCertificate } from "../../../../test/support/certificates.ts";
import { createWorld, placed } from "../../../../test/support/translation.ts";
import type { Proxy } from "../../ir/index.ts";
import { createGatewaySide } from "../gateway-side.ts";

const [first, second] = [
  makeCertificate({ dnsNames: ["a.example.com"] }),
  makeCertificate({ dnsNames: ["a.example.com"] }),
];

const secret = (namespace: string, certificate: string, key: string) => `
apiVersion: v1
kind: Secret
metadata: {name: cert, namespace: ${namespace}}
type: kubernetes.io/tls
data:
  tls.crt: ${Buffer.from(certificate).toString("base64")}
  tls.key: ${Buffer.from(key).toString("base64")}
`;

const gatewayClass = `
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: gatewright}
spec: {controllerName: gatewright.dev/gateway-controller}
`;

const gateway = (...listeners: readonly string[]) => `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: gw, namespace: infra}
spec:
  gatewayClassName: gatewright
  listeners: [${listeners.join(", ")}]
`;

const https = (name: string, namespace = "infra", hostname = "a.example.com") =>
  `{name: ${name}, port: 443, protocol: HTTPS, hostname: ${hostname}, tls: {certificateRefs: [{name: cert, namespace: ${namespace}}]}}`;
const http = (name: string, port = 80) => `{name: ${name}, port: ${port}, protocol: HTTP}`;

const portsOf = (proxy: Proxy | undefined) => proxy?.ports.map(({ port }) => port);

function open(...objects: readonly string[]) {
  const world = createWorld(createGatewaySide);
  world.apply([gatewayClass, ...objects].join("---"));
  const view = () => {
    const found = world.gateways.get("infra/gw");
    assert.ok(found);
    return found;
  };
  return {
    ...world,
    view,
    /** Whether each listener serves, by name. */
    serving: () => Object.fromEntries(view().listeners.map(({ name, programmable }) => [name, programmable])),
    condition: (listener: string, type: string) =>
      view()
        .listeners.find(({ name }) => name === listener)
        ?.conditions.find((condition) => condition.type === type),
  };
}

describe("createGateways()", () => {
  it("heals a listener when its Secret comes, and tells when it goes", () => {
    const { serving, apply, remove, condition } = open(gateway(https("a"), http("b")));
    assert.deepEqual(serving(), { a: false, b: true });
    apply(secret("infra", first.certificate, first.privateKey));
    assert.deepEqual(serving(), { a: true, b: true });
    remove("Secret infra/cert");
    assert.deepEqual(serving(), { a: false, b: true });
    assert.equal(condition("a", "ResolvedRefs")?.reason, "InvalidCertificateRef");
  });

  it("follows a ReferenceGrant, coming and going", () => {
    const grant = `
apiVersion: gateway.networking.k8s.io/v1
kind: ReferenceGrant
metadata: {name: grant, namespace: certs}
spec:
  from: [{group: gateway.networking.k8s.io, kind: Gateway, namespace: infra}]
  to: [{group: "", kind: Secret}]
`;
    const side = open(gateway(https("a", "certs")), secret("certs", first.certificate, first.privateKey));
    assert.equal(side.condition("a", "ResolvedRefs")?.reason, "RefNotPermitted");
    side.apply(grant);
    assert.deepEqual(side.serving(), { a: true });
    side.remove("ReferenceGrant certs/grant");
    assert.deepEqual(side.serving(), { a: false });
  });

  it("heals the one that is left of two in conflict", () => {
    const { serving, apply } = open(gateway(http("a"), http("b")));
    assert.deepEqual(serving(), { a: false, b: false });
    apply(gateway(http("b")));
    assert.deepEqual(serving(), { b: true });
  });

  it("counts a listener as a rival only while it could serve", () => {
    const side = open(gateway(https("a"), https("b", "others")), secret("infra", first.certificate, first.privateKey));
    assert.deepEqual(side.serving(), { a: true, b: false });
    assert.equal(side.condition("a", "Conflicted")?.status, "False");
    side.apply(gateway(https("a"), https("b")));
    assert.deepEqual(side.serving(), { a: false, b: false });
    assert.equal(side.condition("b", "Conflicted")?.reason, "HostnameConflict");
  });

  it("keeps a port that cannot be bound among those to be bound", () => {
    const { serving, place, proxies, condition } = open(gateway(http("a"), http("b", 81)));
    place("infra/gw", { ...placed("192.0.2.1"), unavailablePorts: new Map([[80, "taken"]]) });
    assert.deepEqual(serving(), { a: false, b: true });
    assert.equal(condition("a", "Accepted")?.reason, "PortUnavailable");
    assert.deepEqual(portsOf(proxies.get("infra/gw")), [80, 81]);
    place("infra/gw", { ...placed("192.0.2.1"), unavailablePorts: new Map() });
    assert.deepEqual(serving(), { a: true, b: true });
  });

  it("keeps the proxy of a Gateway whose listeners are all bad, and drops that of one which is refused", () => {
    const { proxies, apply, remove } = open(gateway(https("a")));
    assert.deepEqual(portsOf(proxies.get("infra/gw")), []);
    apply(
      gateway(http("a")).replace(
        "listeners:",
        "infrastructure: {parametersRef: {group: x.io, kind: X, name: x}}\n  listeners:",
      ),
    );
    assert.equal(proxies.get("infra/gw"), undefined);
    apply(gateway(http("a")));
    assert.deepEqual(portsOf(proxies.get("infra/gw")), [80]);
    remove("Gateway infra/gw");
    assert.equal(proxies.get("infra/gw"), undefined);
  });

  it("leaves alone Gateways of classes that are not ours, until they are", () => {
    const { gateways, remove, apply } = open(gateway(http("a")));
    remove("GatewayClass gatewright");
    assert.equal(gateways.get("infra/gw"), undefined);
    apply(gatewayClass.replace("gatewright.dev/", "example.com/"));
    assert.equal(gateways.get("infra/gw"), undefined);
    apply(gatewayClass);
    assert.ok(gateways.get("infra/gw"));
  });

  it("says when a certificate expired as time goes by, and serves it", () => {
    const { serving, clock, graph, condition } = open(
      gateway(https("a")),
      secret("infra", first.certificate, first.privateKey),
    );
    assert.equal(condition("a", "ResolvedRefs")?.message, "");
    clock.set("now", Date.now());
    graph.settle();
    assert.equal(condition("a", "ResolvedRefs")?.message, "");
    clock.set("now", Date.now() + 400 * 86_400_000);
    graph.settle();
    assert.match(condition("a", "ResolvedRefs")?.message ?? "", /^Secret infra\/cert: the certificate expired at /);
    assert.deepEqual(serving(), { a: true });
  });

  it("is not moved by a new certificate in the place of an old one", () => {
    const { gateways, apply, certificates } = open(
      gateway(https("a")),
      secret("infra", first.certificate, first.privateKey),
    );
    const changes = gateways.watch();
    apply(secret("infra", second.certificate, second.privateKey));
    const view = certificates.get("infra/cert");
    assert.equal(view?.kind === "usable" && view.certificate.certificateChain, second.certificate);
    assert.deepEqual([...changes.take()], []);
  });

  it("refuses listeners of the same name, which no status can tell apart", () => {
    const world = createWorld(createGatewaySide);
    const bad = {
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "Gateway",
      metadata: { name: "gw", namespace: "infra" },
      spec: {
        gatewayClassName: "gatewright",
        listeners: [
          { name: "a", port: 80, protocol: "HTTP" },
          { name: "a", port: 81, protocol: "HTTP" },
        ],
      },
    };
    world.apply(gatewayClass);
    world.apply([bad]);
    const view = world.gateways.get("infra/gw");
    assert.equal(view?.served, false);
    assert.deepEqual(view?.conditions[0], {
      type: "Accepted",
      status: "False",
      reason: "Invalid",
      message: "several listeners have the name a",
    });
  });
});
