import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type KindName, kinds } from "@gatewright/crd-types";
import { freePort } from "../../../test/support/free-port.ts";
import { makeCertificate } from "../../../test/support/certificates.ts";
import { infraKinds } from "../infra/index.ts";
import { type HttpServer, startHttpServer } from "../kubernetes/testing/index.ts";
import { silentLogger } from "../lib/index.ts";
import { isStoredKind, storedKinds } from "../store/index.ts";
import { type OperatorEnd, type OperatorOptions, runOperator } from "./index.ts";

async function eventually(isSo: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 15_000; !(await isSo()); ) {
    assert.ok(Date.now() < deadline, `not so in time: ${isSo.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const namespace = "gatewright-system";
const allKinds: readonly KindName[] = [...Object.keys(storedKinds).filter(isStoredKind), "Pod"];

describe("runOperator()", () => {
  let folder: string;
  let server: HttpServer;
  let blocker: Server | undefined;
  let authority: Readonly<Record<string, string>>;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "gatewright-operator-"));
    server = await startHttpServer();
    for (const kind of allKinds) {
      const { group, version, plural, scope } = kinds[kind];
      server.serve({ group, versions: [version], kind, plural, namespaced: scope === "Namespaced" });
    }
    for (const { group, version, kind, plural } of infraKinds)
      if (allKinds.every((known) => known !== kind))
        server.serve({ group, versions: [version], kind, plural, namespaced: true });
    server.intercept(({ path }) => {
      if (path === "/version") return { status: 200, body: { gitVersion: "v1.37.2" } };
      if (!path.endsWith("/secrets/gatewright-ca")) return undefined;
      const metadata = { name: "gatewright-ca", namespace, resourceVersion: "1" };
      return { status: 200, body: { apiVersion: "v1", kind: "Secret", metadata, data: authority } };
    });
    const { certificate, privateKey } = makeCertificate({ dnsNames: ["CA"], authority: true });
    const base64 = (text: string) => Buffer.from(text).toString("base64");
    authority = { "tls.crt": base64(certificate), "tls.key": base64(privateKey) };
  });
  afterEach(async () => {
    blocker?.close();
    blocker = undefined;
    await server.close();
    await rm(folder, { recursive: true });
  });

  async function start(more: Partial<OperatorOptions> = {}) {
    const kubeconfig = join(folder, "kubeconfig");
    await writeFile(
      kubeconfig,
      JSON.stringify({
        apiVersion: "v1",
        kind: "Config",
        clusters: [{ name: "test", cluster: { server: server.url } }],
        users: [{ name: "test", user: { token: "t" } }],
        contexts: [{ name: "test", context: { cluster: "test", user: "test" } }],
        "current-context": "test",
      }),
    );
    let end = () => {};
    const ended: Promise<OperatorEnd> = runOperator({
      version: "0.0.0",
      kubeconfig,
      namespace,
      defaultNamespace: namespace,
      controllerName: "gatewright.dev/gateway-controller",
      adsPort: 0,
      healthPort: 0,
      metricsPort: 0,
      leaderElection: false,
      identitySecret: "gatewright-ca",
      discoveryIntervalMs: 30_000,
      clusterTrustBundles: true,
      logger: silentLogger,
      env: {},
      onEndRequest: (listener) => {
        end = listener;
        return () => undefined;
      },
      ...more,
    });
    return { ended, end: () => end() };
  }

  async function takenPort(): Promise<number> {
    blocker = createServer().listen(0);
    await once(blocker, "listening");
    return (blocker.address() as AddressInfo).port;
  }

  for (const [option, name] of [
    ["--health-port", "healthPort"],
    ["--metrics-port", "metricsPort"],
    ["--ads-port", "adsPort"],
  ] as const) {
    it(`ends and says so where ${option} is in use`, async () => {
      const { ended } = await start({ [name]: await takenPort() });
      const end = await ended;
      assert.equal(end.kind, "failed");
      assert.match(end.kind === "failed" ? end.message : "", new RegExp(`^${option}\\b.*EADDRINUSE`));
      await eventually(async () => server.watches() === 0);
    });
  }

  it("is ready when all has been read and proxies are served, leads, and ends when it is asked to", async () => {
    const [healthPort, metricsPort] = [await freePort(), await freePort()];
    const { ended, end } = await start({ healthPort, metricsPort });
    const get = async (port: number, path: string) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined);
      return { status: response?.status, text: (await response?.text()) ?? "" };
    };
    await eventually(async () => (await get(healthPort, "/readyz")).status === 200);
    assert.match((await get(metricsPort, "/metrics")).text, /^gatewright_leader 1$/m);
    end();
    assert.deepEqual(await ended, { kind: "ended" });
    await eventually(async () => server.watches() === 0);
  });

  it("waits for an API server that does not answer, says for what, and ends meanwhile when it is asked to", async () => {
    const healthPort = await freePort();
    server.intercept(() => ({ hang: true }));
    const { ended, end } = await start({ healthPort });
    await eventually(async () => {
      const response = await fetch(`http://127.0.0.1:${healthPort}/readyz`).catch(() => undefined);
      return (await response?.text())?.includes("[-] start: reaching the API server") ?? false;
    });
    end();
    assert.deepEqual(await ended, { kind: "ended" });
  });

  it("says what is wrong with its authority, and does not start without one", async () => {
    authority = {};
    const { ended } = await start();
    assert.deepEqual(await ended, {
      kind: "failed",
      message: `Secret ${namespace}/gatewright-ca cannot be used: it has no tls.crt; delete it, and a new one is made`,
    });
  });
});
