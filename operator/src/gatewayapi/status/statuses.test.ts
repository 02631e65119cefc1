import assert from "node:assert/strict";
import { conditionsIn } from "../../../../test/support/translation-dump.ts";
import { createWorld, type Manifest } from "../../../../test/support/translation.ts";
import { createTranslation } from "../translate.ts";

const group = "gateway.networking.k8s.io";

const gatewayClass: Manifest = {
  apiVersion: `${group}/v1`,
  kind: "GatewayClass",
  metadata: { name: "gatewright" },
  spec: { controllerName: "gatewright.dev/gateway-controller" },
};

const gateway = (name: string, generation = 1, hostnames: readonly string[] = [""]): Manifest => ({
  apiVersion: `${group}/v1`,
  kind: "Gateway",
  metadata: { name, namespace: "infra", generation },
  spec: {
    gatewayClassName: "gatewright",
    listeners: hostnames.map((hostname, index) => ({
      name: `l${index}`,
      port: 80,
      protocol: "HTTP",
      ...(hostname !== "" && { hostname }),
    })),
  },
});

type RouteOptions = {
  readonly parents?: readonly string[];
  readonly generation?: number;
  readonly hostnames?: readonly string[];
  readonly rules?: readonly unknown[];
  readonly status?: unknown;
};

const route = (name: string, { parents = ["gw"], generation = 1, ...rest }: RouteOptions = {}): Manifest => ({
  apiVersion: `${group}/v1`,
  kind: "HTTPRoute",
  metadata: { name, namespace: "infra", generation },
  spec: {
    parentRefs: parents.map((parent) => ({ name: parent })),
    ...(rest.hostnames && { hostnames: rest.hostnames }),
    rules: rest.rules ?? [{}],
  },
  ...(rest.status !== undefined && { status: rest.status }),
});

function open(...objects: readonly Manifest[]) {
  const world = createWorld(createTranslation);
  world.apply([gatewayClass, ...objects]);
  const statusOf = (key: string) => world.statuses.get(key)?.status;
  return {
    ...world,
    statusOf,
    /** `Place Type=Status Reason: message` of all conditions. */
    conditions: (key: string): readonly string[] => {
      const status = world.statuses.get(key);
      return status === undefined
        ? []
        : [...conditionsIn(status)].map(
            ([place, { type, status: value, reason, message }]) => `${place} ${type}=${value} ${reason}: ${message}`,
          );
    },
    attached: (name: string): readonly unknown[] => {
      const listeners = statusOf(`Gateway infra/${name}`)?.["listeners"];
      assert.ok(Array.isArray(listeners));
      return listeners.map((listener: { readonly attachedRoutes: number }) => listener.attachedRoutes);
    },
  };
}

describe("createStatuses()", () => {
  it("counts the routes of each listener as they come, are refused, and go", () => {
    const { attached, apply, remove } = open(gateway("gw", 1, ["*.example.com", "a.example.com"]));
    assert.deepEqual(attached("gw"), [0, 0]);
    apply([route("one"), route("two", { hostnames: ["b.example.com"] })]);
    assert.deepEqual(attached("gw"), [2, 1]);
    const incompatible = [
      { type: "URLRewrite", urlRewrite: { hostname: "a.io" } },
      { type: "RequestRedirect", requestRedirect: { hostname: "b.io" } },
    ];
    apply([route("one", { rules: [{ filters: incompatible }] })]);
    assert.deepEqual(attached("gw"), [1, 0]);
    remove("HTTPRoute infra/two");
    assert.deepEqual(attached("gw"), [0, 0]);
  });

  it("counts a route once, however many of its references lead to the listener", () => {
    const { attached, apply } = open(gateway("gw"));
    const twice = route("one");
    apply([{ ...twice, spec: { parentRefs: [{ name: "gw" }, { name: "gw", sectionName: "l0" }], rules: [{}] } }]);
    assert.deepEqual(attached("gw"), [1]);
  });

  it("observes the generation of the object itself in each condition", () => {
    const { statuses } = open(gateway("gw", 7), route("r", { generation: 3 }));
    const observed = (key: string): readonly unknown[] => [
      ...new Set(
        [...conditionsIn(statuses.get(key) ?? assert.fail())].map(([, condition]) =>
          Reflect.get(condition, "observedGeneration"),
        ),
      ),
    ];
    assert.deepEqual(observed("Gateway infra/gw"), [7]);
    assert.deepEqual(observed("HTTPRoute infra/r"), [3]);
  });

  it("says nothing of routes that are not ours, and takes back what it said of one that was", () => {
    const entry = (controllerName: string) => ({ controllerName, parentRef: { name: "gw" }, conditions: [] });
    const { statusOf, apply } = open(gateway("gw"), route("r", { parents: ["other"] }));
    assert.equal(statusOf("HTTPRoute infra/r"), undefined);
    apply([route("r")]);
    assert.equal(Reflect.get(Object(statusOf("HTTPRoute infra/r")), "parents").length, 1);
    apply([route("r", { parents: ["other"], status: { parents: [entry("gatewright.dev/gateway-controller")] } })]);
    assert.deepEqual(statusOf("HTTPRoute infra/r"), { parents: [] });
    apply([route("r", { parents: ["other"], status: { parents: [entry("example.com/other")] } })]);
    assert.equal(statusOf("HTTPRoute infra/r"), undefined);
  });

  it("waits for the place and for Envoy before it calls a Gateway programmed", () => {
    const { conditions, place, proxyStates, graph } = open(gateway("gw"));
    const programmed = () => conditions("Gateway infra/gw").filter((text) => text.includes("Programmed="));
    assert.deepEqual(programmed(), [
      "Gateway Programmed=False AddressNotAssigned: no address is assigned yet",
      "Listener Programmed=False Pending: no address is assigned yet",
    ]);
    place("infra/gw");
    proxyStates.set("infra/gw", undefined);
    graph.settle();
    assert.deepEqual(programmed(), [
      "Gateway Programmed=False Pending: waiting for Envoy",
      "Listener Programmed=False Pending: waiting for Envoy",
    ]);
    proxyStates.set("infra/gw", { kind: "ready" });
    graph.settle();
    assert.deepEqual(programmed(), ["Gateway Programmed=True Programmed: ", "Listener Programmed=True Programmed: "]);
  });

  it("repeats what Envoy said of this very Gateway, cut to a readable length", () => {
    const { conditions, place, refusedListeners, graph, apply } = open(gateway("gw", 2));
    place("infra/gw");
    refusedListeners.set("infra/gw|80", { message: "no ".repeat(20_000), content: "2" });
    graph.settle();
    const refused = conditions("Gateway infra/gw").filter((text) => text.includes("Programmed=False Invalid: "));
    assert.equal(refused.length, 2);
    for (const text of refused)
      assert.ok(text.length < 1200 && text.includes("Envoy refused the configuration: no no"));
    apply([gateway("gw", 3)]);
    assert.ok(conditions("Gateway infra/gw").includes("Gateway Programmed=True Programmed: "));
  });

  it("tells a listener on UDP from one on TCP with the same port", () => {
    const { conditions, place, refusedListeners, proxyStates, graph, apply } = open(gateway("gw"));
    const udp = { name: "udp", port: 80, protocol: "UDP" };
    apply([
      {
        ...gateway("gw"),
        spec: { gatewayClassName: "gatewright", listeners: [udp, { ...udp, name: "tcp", protocol: "TCP" }] },
      },
    ]);
    place("infra/gw");
    proxyStates.set("infra/gw", { kind: "ready" });
    refusedListeners.set("infra/gw|80|udp", { message: "in use", content: "1" });
    graph.settle();
    const programmed = conditions("Gateway infra/gw").filter((text) => text.startsWith("Listener Programmed="));
    assert.deepEqual(programmed, [
      "Listener Programmed=False Invalid: Envoy refused the configuration: in use",
      "Listener Programmed=True Programmed: ",
    ]);
  });

  it("keeps messages short where very many things are wrong", () => {
    const backends = Array.from({ length: 16 }, (_, index) => ({ name: `${"long".repeat(60)}-${index}`, port: 80 }));
    const rules = Array.from({ length: 16 }, () => ({ backendRefs: backends }));
    const hostnames = Array.from({ length: 64 }, (_, index) => `h${index}.example.com`);
    const { conditions } = open(
      gateway("gw", 1, hostnames.flatMap((hostname) => [hostname, hostname]).slice(0, 64)),
      route("r", { rules }),
    );
    const all = [...conditions("Gateway infra/gw"), ...conditions("HTTPRoute infra/r")];
    for (const text of all) assert.ok(text.length < 1200, text);
    assert.ok(
      all.some((text) => text.includes("and 59 more")),
      "listeners",
    );
    assert.ok(
      all.some((text) => text.includes("BackendNotFound")),
      "backends",
    );
  });

  it("tells of no more parents than the API keeps", () => {
    const names = Array.from({ length: 40 }, (_, index) => `gw-${index}`);
    const world = createWorld(createTranslation);
    const spec = { parentRefs: names.map((name) => ({ name })), rules: [{}] };
    world.apply([gatewayClass, ...names.map((name) => gateway(name)), { ...route("r"), spec }]);
    const parents: unknown = world.statuses.get("HTTPRoute infra/r")?.status["parents"];
    assert.ok(Array.isArray(parents));
    assert.equal(parents.length, 32);
  });

  it("is not moved by what comes out the same", () => {
    const { statuses, apply, place } = open(gateway("gw"), route("r"));
    place("infra/gw");
    const changes = statuses.watch();
    apply([gatewayClass, gateway("gw"), route("r")]);
    assert.deepEqual([...changes.take()], []);
  });

  it("tells of a policy at as many Gateways as others leave room for, always the same ones", () => {
    const names = Array.from({ length: 20 }, (_, index) => `gw-${String(index).padStart(2, "0")}`);
    const foreign = Array.from({ length: 5 }, (_, index) => ({
      ancestorRef: { name: `other-${index}` },
      controllerName: "example.com/other",
      conditions: [],
    }));
    const policy = (status?: object): Manifest => ({
      apiVersion: `${group}/v1`,
      kind: "BackendTLSPolicy",
      metadata: { name: "policy", namespace: "infra" },
      spec: {
        targetRefs: [{ group: "", kind: "Service", name: "app" }],
        validation: { hostname: "app.example.com", wellKnownCACertificates: "System" },
      },
      ...(status && { status }),
    });
    const rules = [{ backendRefs: [{ name: "app", port: 80 }] }];
    const { apply, remove, statusOf } = open(
      ...names.toReversed().map((name) => gateway(name)),
      ...names.map((name) => route(name, { parents: [name], rules })),
      policy(),
    );
    const told = () => {
      const ancestors = statusOf("BackendTLSPolicy infra/policy")?.["ancestors"];
      if (ancestors === undefined) return undefined;
      assert.ok(Array.isArray(ancestors));
      return ancestors.map(({ ancestorRef }: { readonly ancestorRef: { readonly name: string } }) => ancestorRef.name);
    };
    assert.deepEqual(told(), names.slice(0, 16));
    apply([policy({ ancestors: foreign })]);
    assert.deepEqual(told(), names.slice(0, 11));
    for (const name of names) remove(`HTTPRoute infra/${name}`);
    assert.equal(told(), undefined);
    const own = { ancestorRef: { name: "gw-00" }, controllerName: "gatewright.dev/gateway-controller", conditions: [] };
    apply([policy({ ancestors: [...foreign, own] })]);
    assert.deepEqual(told(), [], "what we once said is taken back");
  });
});
