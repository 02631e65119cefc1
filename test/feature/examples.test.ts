// Every example that the Gateway API ships: it is read without a complaint, its routes are accepted, and Envoy takes what comes of it.
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { runWithGo } from "../../codegen/src/go/go.ts";
import { translateObjects } from "../../operator/src/cli/translation.ts";
import { silentLogger } from "../../operator/src/lib/index.ts";
import { loadFiles } from "../../operator/src/source/index.ts";
import type { Change, StoredKind, StoredKinds } from "../../operator/src/store/index.ts";
import { staticConfig } from "../../operator/src/xds/index.ts";
import { changesOf } from "../e2e/support/control-plane.ts";
import { makeCertificate } from "../support/certificates.ts";
import { refusedByEnvoy, type StaticConfig } from "../support/envoy-validate.ts";

const cwd = fileURLToPath(new URL("../../crd-types/go", import.meta.url));
const settings = { controllerName: "gatewright.dev/gateway-controller", rootNamespace: "gatewright-system" };

/** Examples that show something beyond what is served, and what their status says of it. */
const exceptions: Readonly<Record<string, RegExp>> = {
  // A backend of a made-up kind.
  "standard/default-match-http.yaml": /InvalidKind/,
  // ServiceImports of the Multi-Cluster Services API.
  "standard/multicluster/httproute-hybrid.yaml": /InvalidKind/,
  "standard/multicluster/httproute-location.yaml": /InvalidKind/,
  "standard/multicluster/httproute-method.yaml": /InvalidKind/,
  "standard/multicluster/httproute-referencegrant.yaml": /InvalidKind/,
  "standard/multicluster/httproute-simple.yaml": /InvalidKind/,
  // A route of a Service: mesh.
  "standard/multicluster/httproute-gamma.yaml": /no status/,
};

/** An example in the form of an older version, which had hostnames where one liked; that version is served no more. */
const outdated: Readonly<Record<string, string>> = {
  "experimental/v1alpha2/tls-routing/tls-route.yaml": "spec.hostnames: Required value",
};

const objectsOf = <K extends StoredKind>(changes: readonly Change[], kind: K): StoredKinds[K][] =>
  changes.flatMap((change) =>
    change.kind === kind && change.object !== undefined ? [change.object as StoredKinds[K]] : [],
  );

/** Some examples leave out the parent: they get one, so that something comes of them. */
const withParent = (change: Change): Change =>
  change.kind === "HTTPRoute" && change.object !== undefined && change.object.spec.parentRefs === undefined
    ? { ...change, object: { ...change.object, spec: { ...change.object.spec, parentRefs: [{ name: "added" }] } } }
    : change;

/** What an example takes for granted: classes, Gateways, Services with somebody behind, certificates. */
function surroundings(changes: readonly Change[]): readonly Change[] {
  const routes = objectsOf(changes, "HTTPRoute");
  const gateways = objectsOf(changes, "Gateway");
  const wanted = [
    ...routes.flatMap(gatewaysFor),
    ...routes.flatMap(servicesFor),
    ...gateways.flatMap(secretsFor),
    ...classesFor(gateways),
  ];
  const missing = new Map(
    wanted
      .filter(({ kind, key }) => !changes.some((change) => change.kind === kind && change.key === key))
      .map((one) => [`${one.kind} ${one.key}`, one.yaml]),
  );
  // Examples that come with a class bring their own controller's name, and parameters of its own kind.
  const classes = objectsOf(changes, "GatewayClass").map(
    ({ metadata, ...object }): Change => ({
      kind: "GatewayClass",
      key: metadata.name ?? "",
      object: { ...object, metadata, spec: { controllerName: settings.controllerName } },
    }),
  );
  return [...changesOf([...missing.values()].join("\n---\n")), ...classes];
}

type Wanted = { readonly kind: StoredKind; readonly key: string; readonly yaml: string };

const namespaceOf = ({ metadata }: { readonly metadata: { readonly namespace?: string } }) =>
  metadata.namespace ?? "default";

const gatewaysFor = (route: StoredKinds["HTTPRoute"]): Wanted[] =>
  (route.spec.parentRefs ?? [])
    .filter(({ kind = "Gateway" }) => kind === "Gateway")
    .map(({ name, namespace = namespaceOf(route), sectionName = "any" }) => ({
      kind: "Gateway",
      key: `${namespace}/${name}`,
      yaml: `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  gatewayClassName: example
  listeners: [{name: ${sectionName}, port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}]`,
    }));

const servicesFor = (route: StoredKinds["HTTPRoute"]): Wanted[] =>
  (route.spec.rules ?? [])
    .flatMap(({ filters = [], backendRefs = [] }) => [
      ...backendRefs,
      ...filters.flatMap(({ requestMirror }) => requestMirror?.backendRef ?? []),
    ])
    .filter(({ kind = "Service" }) => kind === "Service")
    .map(({ name, namespace = namespaceOf(route), port }) => ({
      kind: "Service",
      key: `${namespace}/${name}`,
      yaml: `
apiVersion: v1
kind: Service
metadata: {name: ${name}, namespace: ${namespace}}
spec: {ports: [{name: p, port: ${port}}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: ${name}-1, namespace: ${namespace}, labels: {kubernetes.io/service-name: ${name}}}
addressType: IPv4
ports: [{name: p, port: 8080}]
endpoints: [{addresses: ["127.0.0.1"]}]`,
    }));

const serverCertificate = makeCertificate({ dnsNames: ["example.com"] });
const base64 = (text: string) => Buffer.from(text).toString("base64");

const secretsFor = (gateway: StoredKinds["Gateway"]): Wanted[] =>
  (gateway.spec.listeners ?? [])
    .flatMap(({ tls }) => tls?.certificateRefs ?? [])
    .map(({ name, namespace = namespaceOf(gateway) }) => ({
      kind: "Secret",
      key: `${namespace}/${name}`,
      yaml: `
apiVersion: v1
kind: Secret
metadata: {name: ${name}, namespace: ${namespace}}
type: kubernetes.io/tls
data: {tls.crt: ${base64(serverCertificate.certificate)}, tls.key: ${base64(serverCertificate.privateKey)}}`,
    }));

const classesFor = (gateways: readonly StoredKinds["Gateway"][]): Wanted[] =>
  ["example", ...gateways.map(({ spec }) => spec.gatewayClassName)].map((name) => ({
    kind: "GatewayClass",
    key: name,
    yaml: `
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: ${name}}
spec: {controllerName: ${settings.controllerName}}`,
  }));

describe("the Gateway API's examples", function () {
  this.timeout(120_000);
  const configs = new Map<string, StaticConfig>();
  let root = "";
  let files: string[] = [];

  before(async () => {
    const { stdout } = await runWithGo("go", ["list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/gateway-api"], { cwd });
    root = join(stdout.trim(), "examples");
    files = (await readdir(root, { recursive: true })).filter((name) => name.endsWith(".yaml")).toSorted();
    assert.ok(files.length > 80, `${files.length} examples`);
  });

  it("are read without a complaint, and their routes are accepted", async () => {
    const failures: string[] = [];
    for (const file of files) {
      const { changes: read, problems } = await loadFiles([join(root, file)]);
      const changes = read.map(withParent);
      for (const { severity, message } of problems)
        if (severity === "error" && message !== outdated[file]) failures.push(`${file}: ${message}`);
      const translation = await translateObjects([...changes, ...surroundings(changes)], {
        settings,
        logger: silentLogger,
        bindAddress: "127.0.0.1",
      });
      for (const { key } of changes.filter(({ kind }) => kind === "HTTPRoute")) {
        const said = JSON.stringify(translation.statuses.get(`HTTPRoute ${key}`)?.status ?? "no status");
        const isServed = /"type":"Accepted","status":"True"/.test(said) && !/"status":"False"/.test(said);
        const expected = exceptions[relative(root, join(root, file))];
        if (expected === undefined ? !isServed : !expected.test(said))
          failures.push(`${file}: HTTPRoute ${key}: ${said}`);
      }
      for (const gateway of translation.gateways)
        configs.set(`${file} ${gateway}`, staticConfig(translation.xds, gateway));
      await translation.close();
    }
    assert.deepEqual(failures, []);
  });

  it("come to configurations that Envoy takes", async () => {
    assert.ok(configs.size > 40, `${configs.size} configurations`);
    assert.deepEqual(await refusedByEnvoy(configs), new Map());
  });
});
