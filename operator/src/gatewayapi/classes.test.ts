import assert from "node:assert/strict";
import { createWorld } from "../../../test/support/translation.ts";
import { createClasses } from "./classes.ts";

const gatewayClass = (parametersRef = "") => `
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: ours}
spec:
  controllerName: gatewright.dev/gateway-controller
  ${parametersRef && `parametersRef: ${parametersRef}`}
`;

const toMesh = "{group: config.aether.io, kind: MeshConfig, name: mesh, namespace: gatewright-system}";

const mesh = (spec: string) => `
apiVersion: config.aether.io/v1
kind: MeshConfig
metadata: {name: mesh, namespace: gatewright-system}
spec: ${spec}
`;

function open(...objects: readonly string[]) {
  const world = createWorld((graph, inputs) => ({ classes: createClasses(graph, inputs) }));
  world.apply(objects.join("---"));
  const accepted = () => {
    const view = world.classes.get("ours");
    return view?.conditions.find(({ type }) => type === "Accepted");
  };
  return { ...world, accepted };
}

describe("createClasses()", () => {
  it("takes a class that names us, with safe defaults", () => {
    const { classes, accepted } = open(gatewayClass());
    assert.equal(accepted()?.status, "True");
    assert.equal(classes.get("ours")?.mesh, undefined);
  });

  it("says which version of the API it is for", () => {
    const version = open(gatewayClass())
      .classes.get("ours")
      ?.conditions.find(({ type }) => type === "SupportedVersion");
    assert.deepEqual(version, {
      type: "SupportedVersion",
      status: "True",
      reason: "SupportedVersion",
      message: "Gateway API v1.7.0",
    });
  });

  it("leaves alone a class that names another", () => {
    assert.equal(open(gatewayClass().replace("gatewright.dev/", "example.com/")).classes.get("ours"), undefined);
  });

  it("follows its MeshConfig, coming, changing and going", () => {
    const { classes, accepted, apply, remove } = open(gatewayClass(toMesh));
    assert.deepEqual(
      [accepted()?.status, accepted()?.reason, classes.get("ours")?.accepted],
      ["False", "InvalidParameters", false],
    );
    apply(mesh("{extensionFilters: {allowed: [a]}}"));
    assert.equal(accepted()?.status, "True");
    assert.deepEqual(classes.get("ours")?.mesh?.spec?.extensionFilters?.allowed, ["a"]);
    remove("MeshConfig gatewright-system/mesh");
    assert.match(accepted()?.message ?? "", /does not exist$/);
  });

  const badLogs: Readonly<Record<string, RegExp>> = {
    "{format: x, json: {a: b}}": /accessLog: at most one of format and json/,
    '{format: "%FOO%"}': /accessLog\.format: has the unknown command %FOO%; the default format is used$/,
    '{json: {a: ok, b: "100%"}}': /accessLog\.json\["b"\]: has no valid command at "%"/,
  };
  for (const [log, message] of Object.entries(badLogs))
    it(`stays in force with an access log that Envoy would refuse, and says so: ${log}`, () => {
      const { accepted, classes } = open(gatewayClass(toMesh), mesh(`{telemetry: {accessLog: ${log}}}`));
      assert.equal(accepted()?.status, "True");
      assert.match(accepted()?.message ?? "", message);
      assert.notEqual(classes.get("ours")?.mesh, undefined);
    });

  const refused: Readonly<Record<string, readonly [parametersRef: string, message: RegExp]>> = {
    "another kind": [
      '{group: "", kind: ConfigMap, name: mesh, namespace: gatewright-system}',
      /^spec\.parametersRef: kind ConfigMap is not supported/,
    ],
    "another namespace": [toMesh.replace("gatewright-system", "team-a"), /namespace must be gatewright-system/],
    "no namespace": [toMesh.replace(", namespace: gatewright-system", ""), /namespace must be gatewright-system/],
  };
  for (const [title, [parametersRef, message]] of Object.entries(refused))
    it(`refuses parameters of ${title}`, () => {
      const { accepted } = open(gatewayClass(parametersRef), mesh("{}"));
      assert.equal(accepted()?.reason, "InvalidParameters");
      assert.match(accepted()?.message ?? "", message);
    });
});
