// The end of a proxy as a kubelet brings it about, tried on a real Envoy: first its hook, then SIGTERM.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { Agent, get } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AdsServer, createAdsServer } from "../../operator/src/ads/index.ts";
import { silentLogger } from "../../operator/src/lib/index.ts";
import { createReconciler, type Reconciler } from "../../operator/src/reconcile/index.ts";
import { buildBootstrap, checkExtension } from "../../operator/src/xds/index.ts";
import { changesOf } from "../e2e/support/control-plane.ts";
import { envoyBinary } from "../support/envoy.ts";
import { freePort } from "../support/free-port.ts";
import { placed } from "../support/translation.ts";

const gateway = `
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: gatewright}
spec: {controllerName: gatewright.dev/gateway-controller}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: gw, namespace: infra}
spec: {gatewayClassName: gatewright, listeners: [{name: web, port: 80, protocol: HTTP}]}
`;

const drain = { path: "/drain-7b0c", seconds: 2 };

type Answer = { readonly status: number; readonly closes: boolean };

const ask = (port: number, path: string, agent: Agent | false): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const asked = get({ host: "127.0.0.1", port, path, agent }, (response) => {
      response.resume();
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, closes: response.headers.connection === "close" }),
      );
    });
    asked.on("error", reject);
  });

describe("the end of a proxy", function () {
  this.timeout(60_000);
  let folder: string;
  let ads: AdsServer;
  let reconciler: Reconciler;
  let envoy: ChildProcess;
  let port: number;
  let probePort: number;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "gatewright-draining-"));
    [port, probePort] = [await freePort(), await freePort()];
    ads = createAdsServer({ logger: silentLogger });
    await ads.listen(`unix:${folder}/ads.sock`);
    reconciler = createReconciler({
      logger: silentLogger,
      settings: { controllerName: "gatewright.dev/gateway-controller", rootNamespace: "gatewright-system" },
      checkExtension,
      publisher: ads,
    });
    reconciler.place("infra/gw", { ...placed("127.0.0.1"), bind: () => ({ address: "127.0.0.1", port }) });
    reconciler.apply(changesOf(gateway));
    reconciler.synced();
    await reconciler.settled();
    const bootstrap = buildBootstrap({
      nodeId: "pod-1",
      nodeCluster: "infra/gw",
      ads: { path: join(folder, "ads.sock") },
      admin: { path: join(folder, "admin.sock") },
      probePort,
      drain,
    });
    await writeFile(join(folder, "bootstrap.json"), JSON.stringify(bootstrap));
    const flags = ["--disable-hot-restart", "--concurrency", "1", "--drain-time-s", "1", "--log-level", "off"];
    envoy = spawn(await envoyBinary(), ["-c", join(folder, "bootstrap.json"), ...flags], { stdio: "ignore" });
    for (const deadline = Date.now() + 30_000; (await ask(port, "/", false).catch(() => undefined)) === undefined; ) {
      assert.ok(Date.now() < deadline, "Envoy does not serve");
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });

  afterEach(async () => {
    if (envoy.exitCode === null && envoy.kill("SIGKILL")) await once(envoy, "exit");
    await reconciler.close();
    await ads.close(0);
    await rm(folder, { recursive: true });
  });

  it("fails no request: clients are asked to leave while it goes on to serve, old ones and new ones", async () => {
    const agents = Array.from({ length: 4 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
    const end = new AbortController();
    const last = new Map<Agent, Answer>();
    const clients = agents.map(async (agent) => {
      while (!end.signal.aborted) {
        const answer = await ask(port, "/", agent);
        // Nothing is routed: what counts is that Envoy has answered.
        assert.equal(answer.status, 404);
        last.set(agent, answer);
      }
    });
    assert.ok((await ask(probePort, "/ready", false)).status === 200);
    // The kubelet waits for the answer, and then ends it: by then all that follows must be so.
    assert.equal((await ask(probePort, drain.path, false)).status, 200);
    assert.equal((await ask(port, "/", false)).status, 404, "who does not know yet is served");
    assert.equal((await ask(probePort, "/ready", false)).status, 200);
    end.abort();
    await Promise.all(clients);
    assert.deepEqual(
      [...last.values()].map(({ closes }) => closes),
      agents.map(() => true),
      "nobody has a connection left that SIGTERM could break",
    );
    envoy.kill("SIGTERM");
    const [code]: unknown[] = await once(envoy, "exit");
    assert.equal(code, 0);
  });

  it("closes connections on which nothing is asked at its end, in order and without a reset", async () => {
    const plain = connect(port, "127.0.0.1");
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    const seen: string[] = [];
    for (const event of ["end", "error"]) plain.on(event, () => seen.push(`plain ${event}`));
    for (const event of ["error", "goaway"]) session.on(event, () => seen.push(`HTTP/2 ${event}`));
    plain.write("GET / HTTP/1.1\r\nhost: a.example\r\n\r\n");
    assert.match(String(await once(plain, "data")), /^HTTP\/1.1 404 /);
    const first = session.request({ ":path": "/" }).resume();
    await once(first, "end");
    await ask(probePort, drain.path, false);
    assert.deepEqual(seen, [], "until the end they could have been used");
    const ends = [once(plain, "close"), once(session, "close")];
    envoy.kill("SIGTERM");
    await Promise.all(ends);
    assert.deepEqual(seen, ["plain end"]);
  });

  it("asks clients that have asked nothing for long to leave as soon as they ask again", async () => {
    const plain = connect(port, "127.0.0.1");
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    await Promise.all([once(plain, "connect"), once(session, "connect")]);
    await ask(probePort, drain.path, false);
    const ends = [once(plain, "end"), once(session, "goaway")];
    plain.write("GET / HTTP/1.1\r\nhost: a.example\r\n\r\n");
    assert.match(String(await once(plain, "data")), /^HTTP\/1.1 404 [\s\S]*\r\nconnection: close\r\n/);
    await once(session.request({ ":path": "/" }).resume(), "end");
    await Promise.all(ends);
  });

  it("is not brought about by who does not know the path of the hook", async () => {
    assert.equal((await ask(probePort, "/drain", false)).status, 404);
    const agent = new Agent({ keepAlive: true });
    assert.equal((await ask(port, "/", agent)).closes, false);
    agent.destroy();
  });
});
