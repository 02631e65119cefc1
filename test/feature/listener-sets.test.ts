// Listeners of a Gateway and of ListenerSets, by effect: objects in, a real Envoy, requests. Every route redirects, and tells by
// that which one it is.
import assert from "node:assert/strict";
import { type Certificate, makeCertificate } from "../support/certificates.ts";
import { send } from "../support/http-client.ts";
import { secretOf, type ServedGateway, serveGateway } from "../support/served-gateway.ts";

type Listener = { readonly name: string; readonly hostname?: string; readonly port?: number } & (
  | { readonly secret?: undefined }
  | { readonly secret: string }
);

const listenersOf = (...listeners: readonly Listener[]): string =>
  JSON.stringify(
    listeners.map(({ secret, port = secret === undefined ? 80 : 443, ...listener }) => ({
      ...listener,
      port,
      allowedRoutes: { namespaces: { from: "All" } },
      ...(secret === undefined
        ? { protocol: "HTTP" }
        : { protocol: "HTTPS", tls: { certificateRefs: [{ name: secret, namespace: "infra" }] } }),
    })),
  );

const gateway = (...listeners: readonly Listener[]): string => `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: gw, namespace: infra}
spec:
  gatewayClassName: gatewright
  allowedListeners: {namespaces: {from: Selector, selector: {matchExpressions: [
    {key: kubernetes.io/metadata.name, operator: NotIn, values: [strangers]}]}}}
  listeners: ${listenersOf(...listeners)}
`;

const listenerSet = (namespace: string, name: string, created: number, ...listeners: readonly Listener[]): string => `
apiVersion: gateway.networking.k8s.io/v1
kind: ListenerSet
metadata: {name: ${name}, namespace: ${namespace}, creationTimestamp: "2026-01-0${created}T00:00:00Z"}
spec:
  parentRef: {name: gw, namespace: infra}
  listeners: ${listenersOf(...listeners)}
`;

const toGateway = { name: "gw", namespace: "infra" };
const toSet = (name: string, namespace = "apps") => ({ kind: "ListenerSet", name, namespace });

/** It takes the paths below its name. */
const route = (name: string, ...parentRefs: readonly object[]): string => `
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: ${name}, namespace: apps}
spec:
  parentRefs: ${JSON.stringify(parentRefs)}
  rules:
  - matches: [{path: {value: /${name}}}]
    filters: [{type: RequestRedirect, requestRedirect: {hostname: ${name}.is-it}}]
`;

const objects = [
  gateway(
    { name: "g1", hostname: "g1.io" },
    { name: "g2", hostname: "g2.io" },
    { name: "any", port: 81 },
    { name: "https", secret: "gateway" },
  ),
  listenerSet(
    "apps",
    "one",
    1,
    { name: "g1", hostname: "one-a.io" },
    { name: "b", hostname: "one-b.io" },
    { name: "own", port: 8080 },
    { name: "isolated", port: 81, hostname: "isolated.io" },
    { name: "shared", hostname: "shared.io" },
    { name: "https", hostname: "one.example.com", secret: "one" },
  ),
  listenerSet(
    "apps",
    "two",
    2,
    { name: "a", hostname: "two-a.io" },
    { name: "shared", hostname: "shared.io" },
    { name: "taken", hostname: "g1.io" },
    { name: "wild", hostname: "*.example.com", secret: "two" },
  ),
  listenerSet("strangers", "three", 1, { name: "a", hostname: "three-a.io" }, { name: "own", port: 8081 }),
  // Only for ListenerSets of this namespace.
  `
apiVersion: gateway.networking.k8s.io/v1
kind: ReferenceGrant
metadata: {name: sets, namespace: infra}
spec:
  from: [{group: gateway.networking.k8s.io, kind: ListenerSet, namespace: apps}]
  to: [{group: "", kind: Secret}]
`,
  route("everywhere", toGateway, toSet("one"), toSet("two"), toSet("three", "strangers")),
  route("gateway", toGateway),
  route("gateway-g1", { ...toGateway, sectionName: "g1" }),
  route("one", toSet("one")),
  route("one-g1", { ...toSet("one"), sectionName: "g1" }),
  route("one-own", { ...toSet("one"), port: 8080 }),
  route("two", toSet("two")),
  route("astray", { ...toGateway, sectionName: "b" }, { ...toSet("two"), sectionName: "b" }),
];

const names = ["everywhere", "gateway", "gateway-g1", "one", "one-g1", "one-own", "two", "astray"] as const;

describe("ListenerSets, by effect", function () {
  this.timeout(60_000);
  let served: ServedGateway;
  const certificates: Readonly<Record<"gateway" | "one" | "two", Certificate>> = {
    gateway: makeCertificate({ dnsNames: ["any.org", "one.example.com"] }),
    one: makeCertificate({ dnsNames: ["one.example.com"] }),
    two: makeCertificate({ dnsNames: ["*.example.com"] }),
  };

  before(async () => {
    const secrets = Object.entries(certificates).map(([name, certificate]) => secretOf(name, certificate));
    served = await serveGateway([...objects, ...secrets], [80, 81, 443, 8080]);
  });

  after(() => served?.stop());

  const takerOf = (status: number, location: unknown) =>
    /\/\/([^./]+)\.is-it/.exec(typeof location === "string" ? location : "")?.[1] ?? status;

  /** The routes that answer at a host. */
  async function takersAt(host: string, port = 80): Promise<readonly (string | number)[]> {
    const found = [];
    for (const name of names) {
      const { status, headers } = await send({ port: served.portOf(port), host }, `/${name}`);
      const taker = takerOf(status, headers["location"]);
      if (taker !== 404) found.push(taker);
    }
    return found;
  }

  const expected: Readonly<Record<string, readonly string[]>> = {
    "g1.io": ["everywhere", "gateway", "gateway-g1"],
    "g2.io": ["everywhere", "gateway"],
    "one-a.io": ["everywhere", "one", "one-g1"],
    "one-b.io": ["everywhere", "one"],
    "two-a.io": ["everywhere", "two"],
    // Both sets state it: the older one has it.
    "shared.io": ["everywhere", "one"],
    "three-a.io": [],
  };
  for (const [host, takers] of Object.entries(expected))
    it(`serves at ${host} what is attached to its listener: ${takers.join(", ")}`, async () => {
      assert.deepEqual(await takersAt(host), takers);
    });

  it("keeps the host of a ListenerSet from routes of a wider listener of the Gateway", async () => {
    assert.deepEqual(await takersAt("isolated.io", 81), ["everywhere", "one"]);
    assert.deepEqual(await takersAt("other.io", 81), ["everywhere", "gateway"]);
  });

  it("serves a port that only a ListenerSet has", async () => {
    assert.deepEqual(await takersAt("whatever.org", 8080), ["everywhere", "one", "one-own"]);
  });

  it("asks for no port of a ListenerSet that the Gateway does not take", () => {
    const ports = served.world.ir.proxies.get("infra/gw")?.ports.map(({ port }) => port);
    assert.deepEqual(ports, [80, 81, 443, 8080]);
  });

  const connections: readonly (readonly [
    certificate: keyof typeof certificates,
    serverName: string,
    host: string,
    path: string,
    expected: string | number,
  ])[] = [
    ["gateway", "any.org", "any.org", "/gateway", "gateway"],
    ["gateway", "any.org", "any.org", "/one", 404],
    ["gateway", "any.org", "one.example.com", "/one", 421],
    ["one", "one.example.com", "one.example.com", "/one", "one"],
    ["one", "one.example.com", "one.example.com", "/two", 404],
    ["one", "one.example.com", "other.example.com", "/two", 421],
    ["one", "one.example.com", "any.org", "/gateway", 421],
    ["two", "other.example.com", "other.example.com", "/two", "two"],
    ["two", "other.example.com", "one.example.com", "/one", 421],
  ];
  for (const [certificate, serverName, host, path, taker] of connections)
    it(`answers ${host}${path} on a connection to ${serverName}, which shows the certificate of ${certificate}: ${taker}`, async () => {
      const tls = { ca: certificates[certificate].certificate, serverName };
      const { status, headers } = await send({ port: served.portOf(443), host, tls }, path);
      assert.equal(takerOf(status, headers["location"]), taker);
    });
});
