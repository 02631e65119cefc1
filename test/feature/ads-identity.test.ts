// Operator and proxy prove to each other who they are, tried on a real Envoy whose certificates are mounted as a kubelet does it.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AdsServer, createAdsServer } from "../../operator/src/ads/index.ts";
import { createIdentity, type Identity, isProxy, type SecretData } from "../../operator/src/identity/index.ts";
import { createFakeApiServer } from "../../operator/src/kubernetes/testing/index.ts";
import { silentLogger } from "../../operator/src/lib/index.ts";
import { createReconciler, type Reconciler } from "../../operator/src/reconcile/index.ts";
import { adsIdentityFiles, buildBootstrap, checkExtension } from "../../operator/src/xds/index.ts";
import { changesOf } from "../e2e/support/control-plane.ts";
import { envoyBinary } from "../support/envoy.ts";
import { freePort } from "../support/free-port.ts";
import { placed } from "../support/translation.ts";

const proxy = "infra/gw";
const serverName = "gatewright.gatewright-system.svc";
const gateway = `
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: gatewright}
spec: {controllerName: gatewright.dev/gateway-controller}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: gw, namespace: infra}
spec:
  gatewayClassName: gatewright
  listeners: [{name: web, port: 80, protocol: HTTP}]
`;

type Operator = {
  readonly identity: Identity;
  readonly ads: AdsServer;
  readonly port: number;
  readonly close: () => Promise<void>;
};

async function startOperator(port = 0, listenerPort = 0): Promise<Operator> {
  const identity = await createIdentity({
    api: createFakeApiServer(),
    logger: silentLogger,
    namespace: "gatewright-system",
    secretName: "gatewright-ca",
    serverNames: [serverName],
  });
  const ads = createAdsServer({
    logger: silentLogger,
    authorize: ({ nodeCluster, peer }) =>
      isProxy(nodeCluster, peer.certificate?.subjectaltname)
        ? { kind: "proxy", key: nodeCluster }
        : { kind: "refused", message: `the certificate is not that of ${nodeCluster}` },
  });
  const reconciler: Reconciler = createReconciler({
    logger: silentLogger,
    settings: { controllerName: "gatewright.dev/gateway-controller", rootNamespace: "gatewright-system" },
    checkExtension,
    publisher: ads,
  });
  reconciler.place(proxy, { ...placed("127.0.0.1"), bind: () => ({ address: "127.0.0.1", port: listenerPort }) });
  reconciler.apply(changesOf(gateway));
  reconciler.synced();
  await reconciler.settled();
  return {
    identity,
    ads,
    port: await ads.listen(`127.0.0.1:${port}`, identity.credentials),
    close: async () => {
      await reconciler.close();
      await ads.close(0);
    },
  };
}

/** The way of a kubelet: all files of a version appear at once. */
async function mount(folder: string, data: SecretData): Promise<void> {
  const version = `..version-${Date.now()}-${Math.random()}`;
  await mkdir(join(folder, version), { recursive: true });
  for (const [name, value] of Object.entries(data)) {
    await writeFile(join(folder, version, name), Buffer.from(value, "base64"));
    await symlink(join("..data", name), join(folder, name)).catch(() => undefined);
  }
  await symlink(version, join(folder, "..new"));
  await rename(join(folder, "..new"), join(folder, "..data"));
}

describe("operator and proxy", function () {
  this.timeout(60_000);
  let folder: string;
  let envoy: ChildProcess | undefined;
  let operator: Operator | undefined;
  let probePort: number;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "gatewright-identity-"));
    probePort = await freePort();
  });
  afterEach(async () => {
    await stopEnvoy();
    await operator?.close();
    operator = undefined;
    await rm(folder, { recursive: true });
  });

  async function stopEnvoy(): Promise<void> {
    if (envoy?.exitCode === null && envoy.kill("SIGKILL")) await once(envoy, "exit");
    envoy = undefined;
  }

  async function startEnvoy(proof: SecretData, adsPort: number): Promise<void> {
    const secretFolder = join(folder, "secret");
    await mount(secretFolder, proof);
    const identity = { secretFolder, configFolder: folder, serverName };
    const files = {
      "bootstrap.json": buildBootstrap({
        nodeCluster: proxy,
        ads: { address: "127.0.0.1", port: adsPort },
        identity,
        admin: { path: join(folder, "admin.sock") },
        probePort,
      }),
      ...adsIdentityFiles(identity),
    };
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), JSON.stringify(content));
    const flags = ["--use-dynamic-base-id", "--concurrency", "1", "--log-level", "off", "--service-node", "pod-1"];
    envoy = spawn(await envoyBinary(), ["-c", join(folder, "bootstrap.json"), ...flags], { stdio: "ignore" });
  }

  const probe = (path: string): Promise<{ status: number; body: string }> =>
    new Promise((resolve, reject) => {
      request({ host: "127.0.0.1", port: probePort, path, agent: false }, (response) => {
        let body = "";
        response.setEncoding("utf8").on("data", (text: string) => (body += text));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
      })
        .on("error", reject)
        .end();
    });

  async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
    for (const deadline = Date.now() + 30_000; !(await isSo()); ) {
      assert.ok(Date.now() < deadline, `not so in time: ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  const isReady = async () => (await probe("/ready").catch(() => undefined))?.status === 200;

  it("meet over mTLS; probes and metrics are open, the rest of the admin interface is not", async () => {
    operator = await startOperator(0, await freePort());
    await startEnvoy(await operator.identity.proxySecretData(proxy, undefined), operator.port);
    await until("the proxy is ready", isReady);
    assert.equal(operator.ads.counters.streams.open, 1);
    const metrics = await probe("/stats/prometheus");
    assert.match(metrics.body, /^envoy_server_live\S* 1$/m);
    for (const path of ["/", "/config_dump", "/ready/", "/quitquitquit", "/stats"])
      assert.equal((await probe(path)).status, 404, path);
  });

  it("do not meet where the proxy is another one, or the operator is", async () => {
    operator = await startOperator();
    const { identity, ads, port } = operator;
    await startEnvoy(await identity.proxySecretData("infra/other", undefined), port);
    await until("the proxy is sent away", () => ads.counters.streams.refused > 0);
    assert.equal(await isReady(), false);
    await stopEnvoy();
    const total = ads.counters.streams.total;
    const stranger = await startOperator();
    const foreign = await stranger.identity.proxySecretData(proxy, undefined);
    await stranger.close();
    await startEnvoy(foreign, port);
    await until("the proxy has given up once", async () =>
      /^cluster\.gatewright-ads\.ssl\.fail_verify_error: [1-9]/m.test(await adminStats()),
    );
    assert.equal(ads.counters.streams.total, total, "nothing was said to a proxy that does not believe the operator");
  });

  const adminStats = (): Promise<string> =>
    new Promise((resolve) => {
      request(
        { socketPath: join(folder, "admin.sock"), path: "/stats?filter=gatewright-ads.ssl", agent: false },
        (response) => {
          let body = "";
          response.setEncoding("utf8").on("data", (text: string) => (body += text));
          response.on("end", () => resolve(body));
        },
      )
        .on("error", () => resolve(""))
        .end();
    });

  it("meet again after everything that proves them was replaced, without a restart of the proxy", async () => {
    const listenerPort = await freePort();
    operator = await startOperator(0, listenerPort);
    const { port } = operator;
    await startEnvoy(await operator.identity.proxySecretData(proxy, undefined), port);
    await until("the proxy is ready", isReady);
    await operator.close();
    operator = await startOperator(port, listenerPort);
    await mount(join(folder, "secret"), await operator.identity.proxySecretData(proxy, undefined));
    const { counters } = operator.ads;
    await until("the proxy has come back", () => counters.streams.open === 1);
    assert.equal(await isReady(), true);
  });
});
