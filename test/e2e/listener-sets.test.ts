// ListenerSets as a folder of them changes: they come, go, quarrel and take over from each other while requests run.
import assert from "node:assert/strict";
import { type EchoBackend, startEchoBackend } from "../support/echo-backend.ts";
import { makeCertificate } from "../support/certificates.ts";
import { freePort } from "../support/free-port.ts";
import { eventually, send, startLoad } from "../support/http-client.ts";
import { gatewayClass, joinDocuments, service } from "./support/manifests.ts";
import { hasCondition, type Standalone, type StatusFile, startStandalone } from "./support/standalone.ts";

const gatewayOf = (port: number, from: string) => `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: gw, namespace: infra}
spec:
  gatewayClassName: gatewright
  allowedListeners: {namespaces: {from: ${from}}}
  listeners:
  - {name: web, port: ${port}, protocol: HTTP, hostname: gateway.io}`;

/** A ListenerSet \`team-a/<name>\` and the route of it. */
const setOf = (name: string, listeners: readonly object[]) =>
  joinDocuments(
    `
apiVersion: gateway.networking.k8s.io/v1
kind: ListenerSet
metadata: {name: ${name}, namespace: team-a}
spec:
  parentRef: {name: gw, namespace: infra}
  listeners: ${JSON.stringify(listeners)}`,
    `
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: ${name}, namespace: team-a}
spec:
  parentRefs: [{kind: ListenerSet, name: ${name}}]
  rules: [{backendRefs: [{name: ${name}, port: 80}]}]`,
  );

const isProgrammed = ({ status }: StatusFile) => hasCondition(status.conditions, "Programmed", "True");

/** Waits until nobody listens at a port. */
async function closed(port: number): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (true) {
    const outcome = await send({ port, host: "any.io" }, "/").catch((error: NodeJS.ErrnoException) => error.code);
    if (outcome === "ECONNREFUSED") return;
    assert.ok(Date.now() < deadline, `port ${port} is still open: ${JSON.stringify(outcome)}`);
  }
}

describe("ListenerSets that change", function () {
  this.timeout(120_000);
  let gateway: Standalone;
  let one: EchoBackend;
  let two: EchoBackend;
  let port: number;
  let otherPort: number;
  let tlsPort: number;
  const shared = { name: "shared", protocol: "HTTP", hostname: "shared.io" };
  const certificate = makeCertificate({ dnsNames: ["secure.io"] });

  const secure = () => ({
    name: "secure",
    port: tlsPort,
    protocol: "HTTPS",
    hostname: "secure.io",
    tls: { certificateRefs: [{ name: "cert" }] },
  });
  const first = () => setOf("one", [{ ...shared, port }, { name: "own", port: otherPort, protocol: "HTTP" }, secure()]);
  const second = () => setOf("two", [{ ...shared, port }, secure()]);
  const setWhen = (name: string, accept: (file: StatusFile) => boolean) =>
    gateway.statusWhen("ListenerSet", "team-a", name, accept);
  const attachedSets = (count: number) =>
    gateway.statusWhen("Gateway", "infra", "gw", ({ status }) => status.attachedListenerSets === count);
  const backendAt = async (host: string, at: number, tls?: { readonly ca: string }) =>
    (await send({ port: at, host, ...(tls && { tls }) }, "/")).echo?.backend;
  const servedBy = (backend: string) =>
    eventually({ port, host: "shared.io" }, "/", ({ echo }) => echo?.backend === backend);

  before(async () => {
    [one, two] = [await startEchoBackend("one"), await startEchoBackend("two")];
    [port, otherPort, tlsPort] = [await freePort(), await freePort(), await freePort()];
    gateway = await startStandalone({
      files: {
        "gateway.yaml": joinDocuments(gatewayClass, gatewayOf(port, "All")),
        "services.yaml": joinDocuments(service("one", [one]), service("two", [two])),
        "cert.yaml": `
apiVersion: v1
kind: Secret
metadata: {name: cert, namespace: team-a}
type: kubernetes.io/tls
stringData: ${JSON.stringify({ "tls.crt": certificate.certificate, "tls.key": certificate.privateKey })}`,
        "one.yaml": first(),
      },
    });
    await setWhen("one", isProgrammed);
  });

  after(async () => {
    await gateway?.close();
    await one.close();
    await two.close();
  });

  it("serves a set's hosts, ports and certificates, and says where", async () => {
    await servedBy("one");
    assert.equal(await backendAt("any.io", otherPort), "one");
    assert.equal(await backendAt("secure.io", tlsPort, { ca: certificate.certificate }), "one");
    assert.equal((await send({ port, host: "gateway.io" }, "/")).status, 404);
    await attachedSets(1);
    await gateway.outputWhen((text) =>
      text.includes(`ListenerSet team-a/one serves shared at http://127.0.0.1:${port} for shared.io, own at`),
    );
    await gateway.outputWhen((text) => text.includes("HTTPRoute team-a/one is attached to ListenerSet team-a/one"));
  });

  it("serves nothing of a set that comes second, and says why", async () => {
    await gateway.write("two.yaml", second());
    const { status } = await setWhen("two", ({ status: { conditions } }) =>
      hasCondition(conditions, "Accepted", "False", "ListenersNotValid"),
    );
    for (const listener of status.listeners ?? []) {
      assert.ok(hasCondition(listener.conditions, "Conflicted", "True", "HostnameConflict"), listener.name);
      assert.equal(listener.attachedRoutes, 1);
    }
    await attachedSets(1);
    await gateway.outputWhen((text) => /ListenerSet team-a\/two listener shared: .*HostnameConflict/.test(text));
    assert.equal(await backendAt("shared.io", port), "one");
    assert.equal(await backendAt("secure.io", tlsPort, { ca: certificate.certificate }), "one");
  });

  it("hands a host to the next set when the first one goes, and no request fails", async () => {
    const plain = startLoad({ port, host: "shared.io" }, "/");
    await gateway.remove("one.yaml");
    await setWhen("two", isProgrammed);
    await servedBy("two");
    const outcomes = await plain.stop();
    assert.deepEqual([...outcomes.keys()], ["200"], JSON.stringify([...outcomes]));
    await eventually(
      { port: tlsPort, host: "secure.io", tls: { ca: certificate.certificate } },
      "/",
      ({ echo }) => echo?.backend === "two",
    );
    await closed(otherPort);
    await attachedSets(1);
  });

  it("lets go of all sets when the Gateway does not take them any more, and takes them again", async () => {
    await gateway.write("gateway.yaml", joinDocuments(gatewayClass, gatewayOf(port, "Same")));
    await setWhen("two", ({ status: { conditions } }) => hasCondition(conditions, "Accepted", "False", "NotAllowed"));
    await eventually({ port, host: "shared.io" }, "/", ({ status }) => status === 404);
    await attachedSets(0);
    await gateway.write("gateway.yaml", joinDocuments(gatewayClass, gatewayOf(port, "All")));
    await setWhen("two", isProgrammed);
    await servedBy("two");
  });
});
