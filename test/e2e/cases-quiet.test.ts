// What users have reported of gateways that do not keep still: nothing is written or sent while nothing changes, and nothing is sent again
// that was refused.
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createManualClock } from "../../operator/src/ads/testing/manual-clock.ts";
import { type EchoBackend, startEchoBackend } from "../support/echo-backend.ts";
import { freePort } from "../support/free-port.ts";
import { eventually } from "../support/http-client.ts";
import { stamp } from "./support/bad-rules.ts";
import { type ControlPlane, type DataPlane, startControlPlane, startDataPlane } from "./support/control-plane.ts";
import { gatewayClass, httpGateway, httpRoute, joinDocuments, service } from "./support/manifests.ts";
import { blindCheck, halfRuleFilter, poisonedRoute } from "./support/poison.ts";
import { type Standalone, startStandalone } from "./support/standalone.ts";

const good = (version: string, annotations = "") =>
  httpRoute(
    "good",
    "good.example.com",
    `  rules:
  - filters: [{type: ResponseHeaderModifier, responseHeaderModifier: {set: [{name: x-version, value: "${version}"}]}}]
    backendRefs: [{name: one, port: 80}]`,
  ).replace("metadata: {", `metadata: {${annotations}`);

describe("what users reported against others, of quiet", function () {
  this.timeout(120_000);
  let backend: EchoBackend;
  let port: number;

  before(async () => {
    backend = await startEchoBackend("one");
  });
  after(() => backend.close());
  beforeEach(async () => {
    port = await freePort();
  });

  const serves = (host: string, version?: string) =>
    eventually(
      { port, host: `${host}.example.com` },
      "/",
      ({ status, headers }) => status === 200 && (version === undefined || headers["x-version"] === version),
    );

  describe("on the wire", () => {
    let folder: string;
    let control: ControlPlane;
    let data: DataPlane;
    const base = () => joinDocuments(gatewayClass, httpGateway(port), service("one", [backend]));
    const sent = () =>
      Object.fromEntries(Object.entries(control.ads.counters.types).map(([type, { responses }]) => [type, responses]));

    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), "gatewright-"));
      data = await startDataPlane(folder);
    });
    afterEach(async () => {
      await data.kill();
      await control?.close();
      await rm(folder, { recursive: true });
    });

    it("sends what is refused at most three times a type in a minute", async () => {
      const clock = createManualClock();
      control = await startControlPlane(folder, { checkExtension: blindCheck, clock }, { clock });
      await control.apply(joinDocuments(base(), good("1")));
      await serves("good", "1");
      const before = sent();
      await control.apply(joinDocuments(halfRuleFilter, poisonedRoute));
      await eventually({ port, host: "poisoned.example.com" }, "/fine", ({ status }) => status === 200);
      for (let second = 0; second < 60; second++) {
        clock.advance(1_000);
        await control.reconciler.settled();
      }
      // Envoy has answered to all that came before what it is shown to serve.
      await control.apply(good("2"), 2);
      await serves("good", "2");
      const after = sent();
      for (const [type, responses] of Object.entries(after)) {
        const own = type === "virtualHost" ? 1 : 0;
        const times = responses - (before[type] ?? 0) - own;
        assert.ok(times <= 3, `${times} responses of type ${type}`);
      }
      assert.equal(control.ads.counters.types.virtualHost.refused, 1);
    });

    it("sends and reports nothing for a thousand edits of metadata", async () => {
      control = await startControlPlane(folder);
      await control.apply(joinDocuments(base(), good("1")));
      await serves("good", "1");
      await control.reconciler.settled();
      const before = sent();
      const statuses = new Set<string>();
      control.reconciler.onRound((round) => {
        for (const key of round.statuses) statuses.add(key);
      });
      for (let i = 0; i < 1_000; i++)
        await control.apply(good("1", `annotations: {touched: "${i}"}, labels: {round: "${i % 7}"}, `));
      assert.deepEqual(sent(), before);
      assert.deepEqual([...statuses], []);
    });
  });

  describe("in files", () => {
    let gateway: Standalone;
    afterEach(() => gateway?.close());

    /** Each status file with the mark of its last writing. */
    async function snapshot(): Promise<ReadonlyMap<string, string>> {
      const directory = join(gateway.directory, "..", "status");
      const files = (await readdir(directory, { recursive: true, withFileTypes: true })).filter(
        (entry) => entry.isFile() && entry.name.endsWith(".yaml"),
      );
      return new Map(
        await Promise.all(
          files.map(async ({ parentPath, name }) => {
            const path = join(parentPath, name);
            const { ino, ctimeMs } = await stat(path);
            return [path.slice(directory.length), `${ino} ${ctimeMs}\n${await readFile(path, "utf8")}`] as const;
          }),
        ),
      );
    }

    /** Statuses are written in order: when that of a new filter is there, so are those of all that came before it. It touches no other. */
    async function fence(name: string): Promise<void> {
      await gateway.write(`${name}.yaml`, stamp(name));
      await gateway.statusWhen("HTTPFilter", "team-a", name, () => true);
    }

    it("writes no status while nothing changes, nor anew after a restart", async () => {
      const routes = Array.from({ length: 50 }, (_, i) =>
        httpRoute(`r${i}`, `r${i}.example.com`, "  rules: [{backendRefs: [{name: one, port: 80}]}]"),
      );
      const broken = httpRoute("broken", "broken.example.com", "  rules: [{backendRefs: [{name: none, port: 80}]}]");
      const start = httpGateway(port);
      const idle = httpGateway(await freePort(), "idle");
      gateway = await startStandalone({
        files: {
          "base.yaml": joinDocuments(gatewayClass, start, idle, service("one", [backend])),
          "routes.yaml": joinDocuments(good("1"), broken, ...routes),
        },
      });
      await serves("r49");
      await fence("first");
      const before = await snapshot();
      assert.equal(before.size, 1 + 2 + 52 + 1, [...before.keys()].join(" "));
      // What concerns nobody's status: a label, a new Service, the same again.
      await gateway.write("routes.yaml", joinDocuments(good("1", "labels: {a: b}, "), broken, ...routes));
      await gateway.write("other.yaml", service("two", [backend]));
      await fence("second");
      const idling = await snapshot();
      for (const [path, content] of before) assert.equal(idling.get(path), content, path);

      await gateway.stop();
      await gateway.start();
      await serves("r49");
      await fence("third");
      const restarted = await snapshot();
      for (const [path, content] of idling) assert.equal(restarted.get(path), content, path);
      assert.equal(restarted.size, idling.size + 1);
    });
  });
});
