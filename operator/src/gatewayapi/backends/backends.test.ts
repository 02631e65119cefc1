import assert from "node:assert/strict";
import type { Service, ServiceSpec } from "@gatewright/crd-types/core/v1";
import type { Endpoint, EndpointPort, EndpointSlice } from "@gatewright/crd-types/discovery/v1";
import type { Cluster } from "../../ir/index.ts";
import { createGraph } from "../../lib/index.ts";
import { createStore, objectKey } from "../../store/index.ts";
import { createBackendReader, createBackends, createClusters } from "./index.ts";

const service = (spec: ServiceSpec, name = "app"): Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name, namespace: "team-a" },
  spec,
});

type SliceOptions = {
  readonly addressType?: EndpointSlice["addressType"];
  readonly ports?: readonly EndpointPort[];
  readonly service?: string;
};

const slice = (endpoints: readonly Endpoint[], options: SliceOptions = {}): EndpointSlice => ({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: { namespace: "team-a", labels: { "kubernetes.io/service-name": options.service ?? "app" } },
  addressType: options.addressType ?? "IPv4",
  endpoints,
  ports: options.ports ?? [{ name: "http", port: 8000 }],
});

const ready = (address: string): Endpoint => ({ addresses: [address], conditions: { ready: true } });

const plain: ServiceSpec = { ports: [{ name: "http", port: 80, targetPort: 8000 }] };

function fixture(...inUse: readonly string[]) {
  const graph = createGraph();
  const store = createStore(graph);
  const routes = graph.source<readonly string[]>("routes");
  routes.set("route", inUse);
  const backends = createBackends(
    graph,
    [graph.index("used", routes, (keys) => keys)],
    createBackendReader(graph, store, { policyFor: () => undefined }),
  );
  const named = graph.derive("named", {
    keysOf: [routes],
    compute: (key) => ({
      clusters: (routes.get(key) ?? []).flatMap((backend) => {
        const view = backends.get(backend);
        return view?.kind === "service" ? [view.cluster.name] : [];
      }),
    }),
  });
  const { clusters, endpoints } = createClusters(graph, store, backends, named);
  return {
    graph,
    backends,
    clusters,
    endpoints,
    put: (object: Service) => store.objects.Service.set(objectKey("team-a", object.metadata.name ?? ""), object),
    putSlice: (name: string, object: EndpointSlice | undefined) =>
      store.objects.EndpointSlice.set(objectKey("team-a", name), object),
  };
}

describe("createBackends()", () => {
  const clusterCases: readonly {
    readonly title: string;
    readonly spec: ServiceSpec;
    readonly cluster: Partial<Cluster>;
  }[] = [
    {
      title: "a plain port",
      spec: plain,
      cluster: { name: "team-a/app|80", protocol: "http1", endpoints: { kind: "eds" } },
    },
    ...(["kubernetes.io/h2c", "h2c", "http2", "grpc", "H2C"] as const).map((appProtocol) => ({
      title: `appProtocol ${appProtocol}`,
      spec: { ports: [{ port: 80, appProtocol }] },
      cluster: { name: "team-a/app|80|h2c", protocol: "http2" } as const,
    })),
    {
      title: "appProtocol kubernetes.io/ws",
      spec: { ports: [{ port: 80, appProtocol: "kubernetes.io/ws" }] },
      cluster: { name: "team-a/app|80|ws", protocol: "websocket" },
    },
    {
      title: "appProtocol http",
      spec: { ports: [{ port: 80, appProtocol: "http" }] },
      cluster: { name: "team-a/app|80", protocol: "http1" },
    },
    {
      title: "a TCP port beside a UDP port of the same number",
      spec: {
        ports: [
          { name: "quic", port: 80, protocol: "UDP" },
          { name: "http", port: 80 },
        ],
      },
      cluster: { name: "team-a/app|80" },
    },
    {
      title: "an ExternalName Service without ports",
      spec: { type: "ExternalName", externalName: "api.example.com" },
      cluster: { name: "team-a/app|80", endpoints: { kind: "dns", hostname: "api.example.com", port: 80 } },
    },
    {
      title: "an ExternalName Service with an appProtocol",
      spec: { type: "ExternalName", externalName: "api.example.com", ports: [{ port: 80, appProtocol: "h2c" }] },
      cluster: {
        name: "team-a/app|80|h2c",
        protocol: "http2",
        endpoints: { kind: "dns", hostname: "api.example.com", port: 80 },
      },
    },
  ];
  for (const { title, spec, cluster } of clusterCases)
    it(`makes a cluster of ${title}`, () => {
      const { graph, put, clusters } = fixture("team-a/app|80");
      put(service(spec));
      graph.settle();
      const got = clusters.get(cluster.name ?? "");
      assert.ok(got);
      assert.deepEqual({ ...got, ...cluster }, got);
      assert.deepEqual(got.origin, { kind: "Service", namespace: "team-a", name: "app" });
    });

  const invalidCases: readonly {
    readonly title: string;
    readonly spec: ServiceSpec | undefined;
    readonly reason: string;
    readonly message: RegExp;
  }[] = [
    {
      title: "a missing Service",
      spec: undefined,
      reason: "BackendNotFound",
      message: /Service team-a\/app does not exist/,
    },
    { title: "a missing port", spec: { ports: [{ port: 81 }] }, reason: "BackendNotFound", message: /has no port 80/ },
    { title: "no ports at all", spec: {}, reason: "BackendNotFound", message: /has no port 80/ },
    {
      title: "a UDP port",
      spec: { ports: [{ port: 80, protocol: "UDP" }] },
      reason: "UnsupportedProtocol",
      message: /is UDP, not TCP/,
    },
    ...["https", "kubernetes.io/wss", "redis", "example.com/custom"].map((appProtocol) => ({
      title: `appProtocol ${appProtocol}`,
      spec: { ports: [{ port: 80, appProtocol }] },
      reason: "UnsupportedProtocol",
      message: new RegExp(`appProtocol ${appProtocol}`),
    })),
    {
      title: "an ExternalName that is no name",
      spec: { type: "ExternalName", externalName: "not a name" },
      reason: "BackendNotFound",
      message: /externalName/,
    },
    {
      title: "an ExternalName that is missing",
      spec: { type: "ExternalName" },
      reason: "BackendNotFound",
      message: /externalName/,
    },
  ];
  for (const { title, spec, reason, message } of invalidCases)
    it(`finds no backend in ${title}`, () => {
      const { graph, put, backends, clusters } = fixture("team-a/app|80");
      if (spec !== undefined) put(service(spec));
      graph.settle();
      const got = backends.get("team-a/app|80");
      assert.equal(got?.kind, "invalid");
      assert.equal(got.reason, reason);
      assert.match(got.message, message);
      assert.equal(clusters.size(), 0);
    });

  it("resolves a Service of names by DNS, the first ready name in the alphabet", () => {
    const { graph, put, putSlice, clusters, endpoints } = fixture("team-a/app|80");
    put(service(plain));
    putSlice("names", slice([ready("b.example.com"), ready("a.example.com")], { addressType: "FQDN" }));
    graph.settle();
    assert.deepEqual(clusters.get("team-a/app|80")?.endpoints, { kind: "dns", hostname: "a.example.com", port: 8000 });
    assert.equal(endpoints.size(), 0);
    putSlice("names", undefined);
    graph.settle();
    assert.deepEqual(clusters.get("team-a/app|80")?.endpoints, { kind: "eds" });
    assert.deepEqual(endpoints.get("team-a/app|80"), { cluster: "team-a/app|80", addresses: [] });
  });

  it("does not run clusters for an edit of a Service that says the same", () => {
    const { graph, put, clusters } = fixture("team-a/app|80");
    put(service(plain));
    graph.settle();
    const changes = clusters.watch();
    const before = graph.computations();
    const { metadata } = service(plain);
    put({ ...service(plain), metadata: { ...metadata, labels: { team: "a" } } });
    graph.settle();
    assert.equal(changes.take().size, 0);
    assert.equal(graph.computations() - before, 1);
    // A status is not even looked at.
    put({ ...service(plain), status: { loadBalancer: {} }, metadata: { ...metadata, labels: { team: "a" } } });
    graph.settle();
    assert.equal(graph.computations() - before, 1);
  });
});

describe("createClusters() endpoints", () => {
  const addresses = (spec: ServiceSpec, slices: readonly EndpointSlice[]) => {
    const { graph, put, putSlice, endpoints } = fixture("team-a/app|80");
    put(service(spec));
    slices.forEach((object, index) => putSlice(`s${index}`, object));
    graph.settle();
    return endpoints.get("team-a/app|80")?.addresses.map(({ address, port }) => `${address}:${port}`);
  };
  const cases: readonly {
    readonly title: string;
    readonly spec?: ServiceSpec;
    readonly slices: readonly EndpointSlice[];
    readonly addresses: readonly string[];
  }[] = [
    { title: "has none without slices", slices: [], addresses: [] },
    {
      title: "gathers several slices, sorted, each address once",
      slices: [slice([ready("192.0.2.9"), ready("192.0.2.10")]), slice([ready("192.0.2.10"), ready("192.0.2.1")])],
      addresses: ["192.0.2.1:8000", "192.0.2.10:8000", "192.0.2.9:8000"],
    },
    {
      title: "takes ports by the Service port's name",
      spec: {
        ports: [
          { name: "web", port: 80, targetPort: "named" },
          { name: "http", port: 81 },
        ],
      },
      slices: [
        slice([ready("192.0.2.1")], {
          ports: [
            { name: "http", port: 1 },
            { name: "web", port: 2 },
          ],
        }),
      ],
      addresses: ["192.0.2.1:2"],
    },
    {
      title: "takes ports without a name on both sides",
      spec: { ports: [{ port: 80, targetPort: 9999 }] },
      slices: [slice([ready("192.0.2.1")], { ports: [{ port: 8000 }] })],
      addresses: ["192.0.2.1:8000"],
    },
    {
      title: "takes an unnamed port by the target's number",
      slices: [slice([ready("192.0.2.1")], { ports: [{ name: "", port: 8000 }] })],
      addresses: ["192.0.2.1:8000"],
    },
    {
      title: "takes no unnamed port of another number",
      slices: [slice([ready("192.0.2.1")], { ports: [{ port: 8001 }] })],
      addresses: [],
    },
    {
      title: "takes no port of another protocol or without a number",
      slices: [
        slice([ready("192.0.2.1")], { ports: [{ name: "http", port: 8000, protocol: "UDP" }, { name: "http" }] }),
      ],
      addresses: [],
    },
    {
      title: "counts unknown readiness as ready",
      slices: [slice([{ addresses: ["192.0.2.1"] }, { addresses: ["192.0.2.2"], conditions: {} }])],
      addresses: ["192.0.2.1:8000", "192.0.2.2:8000"],
    },
    {
      title: "leaves out what is not ready or drains",
      slices: [
        slice([
          { addresses: ["192.0.2.1"], conditions: { ready: false, serving: false } },
          { addresses: ["192.0.2.2"], conditions: { ready: false, serving: true, terminating: true } },
          ready("192.0.2.3"),
        ]),
      ],
      addresses: ["192.0.2.3:8000"],
    },
    {
      title: "falls back to what drains and still answers where nothing is ready",
      slices: [
        slice([
          { addresses: ["192.0.2.1"], conditions: { ready: false, serving: false, terminating: true } },
          { addresses: ["192.0.2.2"], conditions: { ready: false, serving: true, terminating: true } },
          { addresses: ["192.0.2.3"], conditions: { ready: false, serving: true } },
        ]),
      ],
      addresses: ["192.0.2.2:8000"],
    },
    {
      title: "takes IPv6 and loopback",
      slices: [slice([ready("::1")], { addressType: "IPv6" }), slice([ready("127.0.0.1")])],
      addresses: ["127.0.0.1:8000", "::1:8000"],
    },
    {
      title: "takes one family of a Service with two",
      spec: { ...plain, ipFamilies: ["IPv6", "IPv4"] },
      slices: [slice([ready("2001:db8::1")], { addressType: "IPv6" }), slice([ready("192.0.2.1")])],
      addresses: ["2001:db8::1:8000"],
    },
    {
      title: "takes the other family where the first has nothing",
      spec: { ...plain, ipFamilies: ["IPv6", "IPv4"] },
      slices: [slice([], { addressType: "IPv6" }), slice([ready("192.0.2.1")])],
      addresses: ["192.0.2.1:8000"],
    },
    {
      title: "leaves out what is no address, which Envoy would refuse with all the others",
      slices: [slice([ready("example.com"), ready("::1"), ready("192.0.2.1"), { addresses: [] }])],
      addresses: ["192.0.2.1:8000"],
    },
    {
      title: "leaves out slices of another Service",
      slices: [slice([ready("192.0.2.1")], { service: "other" })],
      addresses: [],
    },
  ];
  for (const { title, spec = plain, slices, addresses: want } of cases)
    it(title, () => assert.deepEqual(addresses(spec, slices), want));

  it("keeps the zone", () => {
    const { graph, put, putSlice, endpoints } = fixture("team-a/app|80");
    put(service(plain));
    putSlice("s", slice([{ ...ready("192.0.2.1"), zone: "z1" }]));
    graph.settle();
    assert.deepEqual(endpoints.get("team-a/app|80")?.addresses, [{ address: "192.0.2.1", port: 8000, zone: "z1" }]);
  });

  it("runs once for an edit of a slice, and touches nothing else", () => {
    const { graph, put, putSlice, clusters, endpoints } = fixture("team-a/app|80", "team-a/app2|80");
    put(service(plain));
    put(service(plain, "app2"));
    putSlice("s", slice([ready("192.0.2.1")]));
    putSlice("s2", slice([ready("192.0.2.2")], { service: "app2" }));
    graph.settle();
    const changedClusters = clusters.watch();
    const changedEndpoints = endpoints.watch();
    const before = graph.computations();
    putSlice("s", slice([ready("192.0.2.7")]));
    graph.settle();
    assert.equal(graph.computations() - before, 1);
    assert.equal(changedClusters.take().size, 0);
    assert.deepEqual([...changedEndpoints.take()], ["team-a/app|80"]);
  });
});
