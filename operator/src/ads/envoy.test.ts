import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EchoBackend, startEchoBackend } from "../../../test/support/echo-backend.ts";
import { freePort } from "../../../test/support/free-port.ts";
import { eventually, send, startLoad } from "../../../test/support/http-client.ts";
import { type RunningEnvoy, runEnvoy } from "../../../test/support/running-envoy.ts";
import { silentLogger } from "../lib/index.ts";
import type { ResourceChange, Verdict } from "./resource.ts";
import { resourceTypes } from "./resource-types.ts";
import { type AdsServer, createAdsServer } from "./server.ts";
import {
  bootstrap,
  edsCluster,
  endpoints,
  host,
  httpListener,
  routeTable,
  tableHost,
  vhdsTable,
} from "./testing/envoy-resources.ts";
import { until } from "./testing/until.ts";

// The fake client of the other tests behaves as Envoy is believed to. This is Envoy.

const proxy = "team-a/gw";
const name = "app.example.com";

describe("a real Envoy", function () {
  this.timeout(60_000);
  let folder: string;
  let socketPath: string;
  let server: AdsServer;
  let envoy: RunningEnvoy | undefined;
  let one: EchoBackend;
  let two: EchoBackend;
  let port: number;
  let verdicts: Verdict[];

  before(async () => {
    one = await startEchoBackend("one");
    two = await startEchoBackend("two");
  });

  after(async () => {
    await one.close();
    await two.close();
  });

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "gatewright-ads-"));
    socketPath = join(folder, "ads.sock");
    port = await freePort();
    await startServer();
  });

  afterEach(async () => {
    await envoy?.stop();
    envoy = undefined;
    await server.close(500);
    await rm(folder, { recursive: true });
  });

  async function startServer(): Promise<void> {
    server = createAdsServer({ logger: silentLogger, graceMs: 100 });
    verdicts = [];
    server.onVerdict((verdict) => verdicts.push(verdict));
    await server.listen(`unix:${socketPath}`);
  }

  async function startEnvoy(protocol: "DELTA_GRPC" | "GRPC" = "DELTA_GRPC"): Promise<void> {
    envoy = await runEnvoy(bootstrap(socketPath, proxy, protocol));
  }

  const saidOf = (change: ResourceChange): Verdict["kind"] | undefined =>
    verdicts.findLast(
      ({ type, resources }) =>
        type === change.type && resources.some(({ version }) => version === change.resource?.version),
    )?.kind;

  async function publish(...changes: readonly ResourceChange[]): Promise<void> {
    server.publish(proxy, changes);
    await until(() => changes.every((change) => change.resource === undefined || saidOf(change) !== undefined));
  }

  const gone = ({ type, name: which }: ResourceChange): ResourceChange => ({ type, name: which, resource: undefined });

  const target = () => ({ port, host: name });
  const servedBy = (backend: string) => eventually(target(), "/", ({ echo }) => echo?.backend === backend);

  async function underLoad(action: () => Promise<unknown>): Promise<void> {
    const load = startLoad(target(), "/");
    await action();
    const outcomes = await load.stop();
    assert.deepEqual([...outcomes.keys()], ["200"], JSON.stringify([...outcomes]));
  }

  const inline = () => [
    edsCluster("one"),
    endpoints("one", one.port),
    httpListener("l", port, "t"),
    routeTable("t", host(name, "one")),
  ];

  for (const protocol of ["DELTA_GRPC", "GRPC"] as const)
    it(`swaps a cluster for another without a failed request, ${protocol}`, async () => {
      server.publish(proxy, inline());
      await startEnvoy(protocol);
      await servedBy("one");
      const backends = { one, two };
      await underLoad(async () => {
        for (let round = 0; round < 20; round++) {
          const [from, to] = round % 2 === 0 ? (["one", "two"] as const) : (["two", "one"] as const);
          const table = routeTable("t", host(`${name}:${round}`, to, [name]));
          await publish(
            gone(edsCluster(from)),
            gone(endpoints(from)),
            table,
            edsCluster(to),
            endpoints(to, backends[to].port),
          );
          assert.equal((await send(target(), "/")).echo?.backend, to);
        }
      });
      assert.equal(server.counters.types.cluster.nacks, 0);
    });

  it("takes a changed cluster into use, whose endpoints did not change", async () => {
    server.publish(proxy, inline());
    await startEnvoy();
    await underLoad(() => publish(edsCluster("one", 2_000)));
  });

  it("follows endpoints alone, with one small response", async () => {
    server.publish(proxy, inline());
    await startEnvoy();
    await servedBy("one");
    const before = resourceTypes.map((type) => server.counters.types[type].responses);
    await underLoad(() => publish(endpoints("one", two.port)));
    await servedBy("two");
    const after = resourceTypes.map((type) => server.counters.types[type].responses);
    assert.deepEqual(
      after.map((count, index) => count - (before[index] ?? 0)),
      resourceTypes.map((type) => (type === "endpoint" ? 1 : 0)),
    );
  });

  it("turns to virtual hosts by themselves and takes their edits one by one, without a failed request", async () => {
    server.publish(proxy, inline());
    await startEnvoy();
    await servedBy("one");
    const others = Array.from({ length: 200 }, (_, index) => tableHost("t+vhds", host(`h${index}.example.com`, "one")));
    await underLoad(async () => {
      await publish(
        httpListener("l", port, "t+vhds"),
        vhdsTable("t+vhds"),
        tableHost("t+vhds", host(name, "one")),
        ...others,
        gone(routeTable("t")),
      );
      await publish(edsCluster("two"), endpoints("two", two.port));
      const { bytes } = server.counters.types.virtualHost;
      await publish(tableHost("t+vhds", host(name, "two")));
      await servedBy("two");
      assert.ok(server.counters.types.virtualHost.bytes - bytes < 500, "only what changed went over the wire");
    });
    await publish(gone(others[0] ?? assert.fail()), tableHost("t+vhds", host("late.example.com", "one")));
    assert.equal((await send({ port, host: "late.example.com" }, "/")).status, 200);
    await eventually({ port, host: "h0.example.com" }, "/", ({ status }) => status === 404);
  });

  it("serves a second and an empty table of virtual hosts, for which it asks no more", async () => {
    server.publish(proxy, [
      ...inline(),
      httpListener("l", port, "t+vhds"),
      vhdsTable("t+vhds"),
      tableHost("t+vhds", host(name, "one")),
    ]);
    await startEnvoy();
    await servedBy("one");
    const [second, empty] = [await freePort(), await freePort()];
    await publish(
      httpListener("m", second, "u+vhds"),
      vhdsTable("u+vhds"),
      tableHost("u+vhds", host(name, "one")),
      httpListener("n", empty, "v+vhds"),
      vhdsTable("v+vhds"),
    );
    await eventually({ port: second, host: name }, "/", ({ status }) => status === 200);
    await eventually({ port: empty, host: name }, "/", ({ status }) => status === 404);
    await publish(tableHost("v+vhds", host(name, "one")));
    await eventually({ port: empty, host: name }, "/", ({ status }) => status === 200);
  });

  it("serves on while the server is away, and is sent nothing when it comes back but what changed", async () => {
    const world = [
      edsCluster("one"),
      endpoints("one", one.port),
      httpListener("l", port, "t+vhds"),
      vhdsTable("t+vhds"),
      tableHost("t+vhds", host(name, "one")),
    ];
    server.publish(proxy, world);
    await startEnvoy();
    await servedBy("one");
    await underLoad(async () => {
      await server.close(500);
      for (let request = 0; request < 20; request++) assert.equal((await send(target(), "/")).status, 200);
      await startServer();
      const changed = tableHost("t+vhds", host("new.example.com", "one"));
      await publish(...world, changed);
    });
    const sent = Object.fromEntries(resourceTypes.map((type) => [type, server.counters.types[type].resources]));
    assert.deepEqual(sent, { cluster: 0, endpoint: 0, secret: 0, extension: 0, listener: 0, route: 0, virtualHost: 1 });
    await eventually({ port, host: "new.example.com" }, "/", ({ status }) => status === 200);
  });

  it("is sent what it refuses once, and the rest all the same", async () => {
    server.publish(proxy, inline());
    await startEnvoy();
    await servedBy("one");
    const bad = routeTable("t", host("a", "one", [name]), host("b", "one", [name]));
    await publish(bad, edsCluster("two"), endpoints("two", two.port));
    assert.equal(saidOf(bad), "refused");
    assert.match(verdicts.at(-1)?.message ?? "", /Only unique values for domains are permitted/);
    const { responses } = server.counters.types.route;
    for (let round = 0; round < 5; round++) await publish(endpoints("two", two.port, one.port + round));
    assert.equal(server.counters.types.route.responses, responses, "not again");
    assert.equal((await send(target(), "/")).status, 200, "the last good one is in use");

    await envoy?.stop();
    await startEnvoy();
    await servedBy("one");

    await publish(routeTable("t", host(name, "two")));
    await servedBy("two");
  });

  it("finds its listeners in service at a fresh start, though one never had good routes", async () => {
    const other = await freePort();
    const bad = routeTable("bad", host("a", "one", [name]), host("b", "one", [name]));
    const world = [...inline(), httpListener("m", other, "bad"), bad];
    server.publish(proxy, world);
    for (let start = 0; start < 2; start++) {
      await startEnvoy();
      await servedBy("one");
      await eventually({ port: other, host: name }, "/", ({ status }) => status === 404);
      await envoy?.stop();
      envoy = undefined;
    }
    assert.equal(saidOf(bad), "refused");
    assert.ok(server.counters.types.route.nacks <= 3);
  });

  it("names a cluster and a listener that it refuses, which costs few responses", async () => {
    server.publish(proxy, inline());
    await startEnvoy();
    await servedBy("one");
    const clusters = Array.from({ length: 30 }, (_, index) => edsCluster(`c${index}`));
    const { responses } = server.counters.types.cluster;
    const bad = edsCluster("bad", 0);
    await publish(...clusters, ...clusters.map(({ name: which }) => endpoints(which, one.port)), bad);
    assert.equal(saidOf(bad), "refused");
    assert.ok(clusters.every((cluster) => saidOf(cluster) === "accepted"));
    assert.ok(server.counters.types.cluster.responses - responses <= 3);
    const taken = httpListener("taken", one.port, "t");
    await publish(taken);
    assert.equal(saidOf(taken), "refused");
    assert.doesNotMatch(verdicts.map(({ message }) => message).join(), /goo\.gle|connect_timeout/);
  });

  it("drains a listener that goes, with what its connections use", async () => {
    const world = inline();
    server.publish(proxy, world);
    await startEnvoy();
    await servedBy("one");
    await publish(...world.map(gone));
    const refuses = () =>
      send(target(), "/").then(
        () => false,
        (error: NodeJS.ErrnoException) => error.code === "ECONNREFUSED",
      );
    while (!(await refuses()));
    await until(() => server.counters.types.cluster.removals === 1);
    assert.equal(server.counters.types.route.removals, 0, "Envoy lets go of its route table by itself");
  });
});
