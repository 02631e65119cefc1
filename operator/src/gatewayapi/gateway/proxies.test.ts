import assert from "node:assert/strict";
import { createWorld } from "../../../../test/support/translation.ts";
import { createGatewaySide } from "../gateway-side.ts";

const gatewayClass = (mesh = "") => `
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: gatewright}
spec:
  controllerName: gatewright.dev/gateway-controller
  ${mesh === "" ? "" : `parametersRef: {group: config.aether.io, kind: MeshConfig, namespace: gatewright-system, name: ${mesh}}`}
`;

const meshConfig = (namespace: string, name: string, spec: string) => `
apiVersion: config.aether.io/v1
kind: MeshConfig
metadata: {name: ${name}, namespace: ${namespace}}
spec: ${spec}
`;

const gateway = (more = "", namespace = "infra") => `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: gw, namespace: ${namespace}, uid: 7b0c, generation: 3}
spec:
  gatewayClassName: gatewright
  listeners: [{name: http, port: 80, protocol: HTTP}]
  ${more}
`;

const named = (name: string, kind = "MeshConfig", group = "config.aether.io") =>
  `infrastructure: {parametersRef: {group: ${group}, kind: ${kind}, name: ${name}}}`;

function open(...objects: readonly string[]) {
  const world = createWorld(createGatewaySide);
  world.apply(objects.join("---"));
  return {
    ...world,
    proxy: (key = "infra/gw") => world.proxies.get(key),
    accepted: (key = "infra/gw") => {
      const condition = world.gateways.get(key)?.conditions.find(({ type }) => type === "Accepted");
      return `${condition?.status} ${condition?.reason}: ${condition?.message}`;
    },
  };
}

describe("createProxies()", () => {
  it("says whose proxies they are, and what the Gateway asks of their surroundings", () => {
    const { proxy } = open(
      gatewayClass(),
      gateway(`infrastructure: {labels: {team: a}, annotations: {example.com/note: b}}
  addresses: [{value: 192.0.2.7}, {type: IPAddress}, {type: Hostname, value: gw.example.com}]`),
    );
    assert.deepEqual(proxy(), {
      namespace: "infra",
      name: "gw",
      uid: "7b0c",
      generation: 3,
      className: "gatewright",
      ports: [{ port: 80, protocol: "TCP" }],
      labels: { team: "a" },
      annotations: { "example.com/note": "b" },
      addresses: [
        { type: "IPAddress", value: "192.0.2.7", routability: "" },
        { type: "IPAddress", value: "", routability: "" },
        { type: "Hostname", value: "gw.example.com", routability: "" },
      ],
      deployment: {},
    });
  });

  it("names each port once, ascending, TCP before UDP", () => {
    const listeners = [
      "{name: d, port: 53, protocol: UDP}",
      "{name: a, port: 443, protocol: TCP}",
      "{name: b, port: 80, protocol: HTTP, hostname: a.example.com}",
      "{name: c, port: 80, protocol: HTTP, hostname: b.example.com}",
      "{name: e, port: 53, protocol: TCP}",
      "{name: f, port: 99, protocol: example.com/unknown}",
    ];
    const { proxy } = open(gatewayClass(), gateway().replace(/listeners: .*/, `listeners: [${listeners.join(", ")}]`));
    assert.deepEqual(
      proxy()?.ports.map(({ port, protocol }) => `${port} ${protocol}`),
      ["53 TCP", "53 UDP", "80 TCP", "443 TCP"],
    );
  });

  it("takes its deployment from the class, and field by field before that from its own parameters", () => {
    const { proxy, apply } = open(
      gatewayClass("mesh"),
      meshConfig(
        "gatewright-system",
        "mesh",
        "{proxy: {image: example.com/envoy, replicas: 3, resources: {limits: {cpu: 2}, requests: {memory: 1Gi}}}}",
      ),
      gateway(named("own")),
      meshConfig("infra", "own", "{proxy: {replicas: 5, service: {type: ClusterIP}}}"),
    );
    const shared = { image: "example.com/envoy", resources: { limits: { cpu: "2" }, requests: { memory: "1Gi" } } };
    assert.deepEqual(proxy()?.deployment, { ...shared, replicas: 5, service: { type: "ClusterIP" } });
    apply(meshConfig("infra", "own", "{proxy: {resources: {limits: {memory: 2Gi}}}}"));
    assert.deepEqual(proxy()?.deployment, { ...shared, replicas: 3, resources: { limits: { memory: "2Gi" } } });
    apply(gateway());
    assert.deepEqual(proxy()?.deployment, { ...shared, replicas: 3 });
  });

  it("does not deploy a Gateway whose parameters are not there, not ours, or reach beyond it", () => {
    const { proxy, accepted, apply, remove } = open(gatewayClass(), gateway(named("own")));
    const prefix = "False InvalidParameters: spec.infrastructure.parametersRef: ";
    assert.equal(accepted(), `${prefix}MeshConfig infra/own does not exist`);
    assert.equal(proxy(), undefined);
    apply(meshConfig("infra", "own", "{proxy: {replicas: 2}}"));
    assert.equal(accepted(), "True Accepted: ");
    assert.equal(proxy()?.deployment.replicas, 2);
    apply(meshConfig("infra", "own", "{proxy: {replicas: 2}, modules: {enabled: true}, telemetry: {}}"));
    assert.equal(
      accepted(),
      `${prefix}MeshConfig infra/own: a MeshConfig outside of namespace gatewright-system may hold spec.proxy only, not spec.modules, spec.telemetry`,
    );
    assert.equal(proxy(), undefined);
    remove("MeshConfig infra/own");
    apply(gateway(named("own", "ConfigMap", '""')));
    assert.equal(accepted(), `${prefix}kind ConfigMap is not supported; config.aether.io/MeshConfig is`);
  });

  it("takes of a MeshConfig of the root namespace what it says of deployment", () => {
    const { proxy } = open(
      gatewayClass(),
      gateway(named("mesh"), "gatewright-system"),
      meshConfig("gatewright-system", "mesh", "{proxy: {replicas: 4}, modules: {enabled: true}}"),
    );
    assert.deepEqual(proxy("gatewright-system/gw")?.deployment, { replicas: 4 });
  });
});
