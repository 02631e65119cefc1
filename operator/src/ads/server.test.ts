import { status } from "@grpc/grpc-js";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect as connectSocket, createServer, type Socket } from "node:net";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../lib/index.ts";
import type { Verdict } from "./resource.ts";
import { traits } from "./resource-types.ts";
import { type AdsServer, type AdsServerOptions, createAdsServer, type ConnectionEvent } from "./server.ts";
import { FakeEnvoy } from "./testing/fake-envoy.ts";
import { createManualClock } from "./testing/manual-clock.ts";
import { createRecorder } from "./testing/recorder.ts";
import { drop, set, versionOf } from "./testing/scripted.ts";
import { until } from "./testing/until.ts";
import { connectEnvoy, decodeResponse, encodeRequest, Wire } from "./testing/wire.ts";

const node = { id: "envoy-1", cluster: "team-a/gw" };

const clusterRequest = {
  typeUrl: traits.cluster.typeUrl,
  subscribe: [],
  unsubscribe: [],
  initialVersions: new Map<string, string>(),
  nonce: "",
  error: undefined,
};

const firstRequest = encodeRequest(clusterRequest, node);

/** Carries bytes to a port until it is told to stop. */
async function openRelay(port: number) {
  const sockets = new Set<Socket>();
  const relay = createServer((socket) => {
    const up = connectSocket(port, "127.0.0.1");
    for (const each of [socket, up]) sockets.add(each.on("error", () => undefined));
    socket.pipe(up).pipe(socket);
  });
  await once(relay.listen(0, "127.0.0.1"), "listening");
  return {
    address: `127.0.0.1:${(relay.address() as AddressInfo).port}`,
    pause: () => {
      for (const socket of sockets) socket.unpipe().pause();
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      relay.close();
    },
  };
}

describe("the ADS server", () => {
  let folder: string;
  let address: string;
  let server: AdsServer;
  let verdicts: Verdict[];
  let connections: ConnectionEvent[];
  const clock = createManualClock();
  const recorder = createRecorder();
  const wires: Wire[] = [];

  async function start(options: Partial<AdsServerOptions> = {}): Promise<void> {
    server = createAdsServer({ logger: recorder.logger, clock, ...options });
    verdicts = [];
    connections = [];
    server.onVerdict((verdict) => verdicts.push(verdict));
    server.onConnection((event) => connections.push(event));
    await server.listen(address);
  }

  function connect(envoy: FakeEnvoy, from = node): Wire {
    const wire = connectEnvoy(address, envoy, from);
    wires.push(wire);
    return wire;
  }

  function open(onData: (bytes: Buffer) => void = () => undefined): Wire {
    const wire = new Wire(address, "delta", onData);
    wires.push(wire);
    return wire;
  }

  const world = [
    set("cluster", "a", { name: "a" }),
    set("endpoint", "a", { name: "a" }),
    set("listener", "l", { name: "l", route: "t" }),
    set("route", "t", { name: "t", clusters: ["a"] }),
  ];

  const complete = (envoy: FakeEnvoy): boolean => envoy.config.route.has("t");

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "gatewright-ads-"));
    address = `unix:${join(folder, "ads.sock")}`;
    recorder.clear();
  });

  afterEach(async () => {
    for (const wire of wires.splice(0)) wire.close();
    await server.close(1_000);
    await rm(folder, { recursive: true });
    assert.deepEqual(server.held().streams, 0);
    assert.equal(clock.waiting(), 0, "no timer is left");
  });

  for (const protocol of ["delta", "sotw"] as const)
    it(`serves a client, ${protocol}`, async () => {
      await start();
      server.publish(node.cluster, world);
      const envoy = new FakeEnvoy(protocol);
      connect(envoy);
      await until(() => complete(envoy));
      server.publish(node.cluster, [set("route", "t", { name: "t", clusters: ["a"], edition: 2 })]);
      await until(() => envoy.config.route.get("t")?.content.edition === 2);
      assert.deepEqual(connections, [
        { kind: "connected", proxy: node.cluster, nodeId: node.id, protocol, streams: 1 },
      ]);
      await until(() => verdicts.length === 5);
      assert.deepEqual(
        verdicts.map(({ kind, proxy, type, resources }) => [
          kind,
          proxy,
          type,
          resources.map(({ name }) => name).join(),
        ]),
        [
          ["accepted", node.cluster, "cluster", "a"],
          ["accepted", node.cluster, "endpoint", "a"],
          ["accepted", node.cluster, "listener", "l"],
          ["accepted", node.cluster, "route", "t"],
          ["accepted", node.cluster, "route", "t"],
        ],
      );
    });

  it("lets a client in before there is anything for it", async () => {
    await start();
    const envoy = new FakeEnvoy("delta");
    connect(envoy);
    await until(() => connections.length === 1);
    assert.equal(server.held().proxies, 1);
    server.publish(node.cluster, world);
    await until(() => complete(envoy));
  });

  it("keeps proxies apart", async () => {
    await start();
    server.publish("one", [set("cluster", "a")]);
    server.publish("two", [set("cluster", "b")]);
    const [one, two] = [new FakeEnvoy("delta"), new FakeEnvoy("delta")];
    connect(one, { id: "1", cluster: "one" });
    connect(two, { id: "2", cluster: "two" });
    await until(() => one.config.cluster.size > 0 && two.config.cluster.size > 0);
    assert.deepEqual([[...one.config.cluster.keys()], [...two.config.cluster.keys()]], [["a"], ["b"]]);
  });

  it("serves several streams of a proxy, and a stuck one holds up nobody", async () => {
    await start();
    server.publish(node.cluster, world);
    let heard = 0;
    const stuck = open(() => heard++);
    stuck.call.write(firstRequest);
    const envoys = [new FakeEnvoy("delta"), new FakeEnvoy("sotw")];
    for (const envoy of envoys) connect(envoy);
    await until(() => heard === 1 && envoys.every(complete));
    for (let edition = 0; edition < 50; edition++)
      server.publish(node.cluster, [set("cluster", "b", { name: "b", edition })]);
    server.publish(node.cluster, [
      set("route", "t", { name: "t", clusters: ["a", "b"] }),
      set("endpoint", "b", { name: "b" }),
    ]);
    await until(() => envoys.every((envoy) => envoy.config.route.get("t")?.content.clusters?.length === 2));
    assert.equal(heard, 1, "it was sent no more than it had answered to");
  });

  for (const [what, expected] of [
    ["reads nothing", "cut"],
    ["never answers", "kept"],
    ["refuses all", "kept"],
  ] as const)
    it(`serves others beside a client that ${what}, and holds nothing for it without end`, async () => {
      await start({ clock: systemClock, limits: { maxBytesUnderWay: 1024, slowMs: 50, stuckMs: 3_000 } });
      const port = await server.listen("127.0.0.1:0");
      // More than sockets take on the way: who does not read holds it up here.
      const big = "x".repeat(12 * 1024 * 1024);
      server.publish(node.cluster, [set("cluster", "big", { name: "big", domain: big }), ...world]);
      const relay = await openRelay(port);
      let sends = 0;
      const bad = new Wire(relay.address, "delta", (bytes) => {
        sends++;
        if (what !== "refuses all") return;
        const { nonce } = decodeResponse("delta", bytes);
        bad.call.write(encodeRequest({ ...clusterRequest, nonce, error: "it refuses all" }, undefined));
      });
      wires.push(bad);
      bad.call.write(firstRequest);
      await until(() => server.counters.types.cluster.responses > 0);
      if (what === "reads nothing") relay.pause();
      else await until(() => sends > 0);
      const others = [new FakeEnvoy("delta"), new FakeEnvoy("delta")];
      for (const other of others) connect(other);
      await until(() => others.every(complete));
      for (let edition = 0; edition < 20; edition++)
        server.publish(node.cluster, [set("endpoint", "a", { name: "a", edition })]);
      await until(() => others.every((other) => other.config.endpoint.get("a")?.content.edition === 19));
      const responses = server.counters.types.cluster.responses;
      if (expected === "cut") {
        await until(() => server.counters.streams.stuck === 1 && server.held().streams === 2);
        assert.ok(recorder.lines("warn").includes("a client does not read what it is sent; it is sent away"));
      } else {
        assert.equal(server.held().streams, 3);
        assert.ok(server.counters.types.cluster.responses <= responses + 1);
        assert.ok(sends <= 3 * 2, `${sends} responses of two clusters to one that ${what}`);
      }
      relay.close();
    });

  it("sends nothing again to a client that comes back with all", async () => {
    await start();
    server.publish(node.cluster, world);
    const envoy = new FakeEnvoy("delta");
    const wire = connect(envoy);
    await until(() => complete(envoy));
    wire.close();
    await until(() => server.held().streams === 0);
    const { cluster, route, listener } = server.counters.types;
    const before = [cluster.responses, route.responses];
    const acks = listener.acks;
    connect(envoy);
    await until(() => listener.acks > acks);
    server.publish(node.cluster, [set("endpoint", "a", { name: "a", edition: 2 })]);
    await until(() => envoy.config.endpoint.get("a")?.content.edition === 2);
    assert.deepEqual([cluster.responses, route.responses], before);
  });

  it("tells once what many clients take", async () => {
    await start();
    server.publish(node.cluster, world);
    const envoys = Array.from({ length: 5 }, () => new FakeEnvoy("delta"));
    for (const envoy of envoys) connect(envoy);
    await until(() => envoys.every(complete));
    server.publish(node.cluster, [set("route", "t", { name: "t", clusters: ["a"], edition: 2 })]);
    await until(() => server.counters.types.route.acks === 10);
    const told = verdicts.flatMap(({ type, resources }) =>
      resources.map(({ name, version }) => `${type} ${name} ${version}`),
    );
    assert.equal(told.length, 5);
    assert.equal(new Set(told).size, 5);
  });

  it("tells of refused content once, in the client's words without the resource, and parks it", async () => {
    await start();
    server.publish(node.cluster, [
      ...world,
      set("listener", "bad", { bad: true }),
      set("listener", "m", { route: "t" }),
    ]);
    const envoy = new FakeEnvoy("delta");
    const wire = connect(envoy);
    const refused = () => verdicts.filter(({ kind }) => kind === "refused");
    await until(() => refused().length === 1 && complete(envoy) && envoy.config.listener.has("m"));
    const version = versionOf("listener", "bad", { bad: true });
    assert.deepEqual(refused(), [
      {
        kind: "refused",
        proxy: node.cluster,
        type: "listener",
        resources: [{ name: "bad", version }],
        message: "refused listener: it is bad",
      },
    ]);
    assert.deepEqual(recorder.lines("warn"), ["refused by the client; it is not sent again until it changes"]);
    assert.ok(envoy.responses.listener <= 3, `${envoy.responses.listener} responses for one bad listener among three`);
    const sends = () => envoy.sends.get('listener bad {"bad":true}');
    const sent = sends();

    wire.close();
    envoy.restart();
    connect(envoy);
    await until(() => complete(envoy) && envoy.config.listener.has("m"));
    assert.equal(sends(), sent, "a client that starts anew is spared");

    server.publish(node.cluster, [set("listener", "bad", { route: "t" })]);
    await until(() => envoy.config.listener.has("bad"));
    server.publish(node.cluster, [set("listener", "bad", { bad: true })]);
    await until(() => refused().length === 2);
    assert.equal(sends(), sent, "what was refused before is refused without a word");
    server.retry(node.cluster, "listener", "bad");
    await until(() => refused().length === 3);
    assert.equal(sends(), (sent ?? 0) + 1);
    assert.equal(server.counters.types.listener.refused, 2);
  });

  it("counts what it sends", async () => {
    await start();
    server.publish(node.cluster, [...world, set("cluster", "b"), set("listener", "m")]);
    const envoy = new FakeEnvoy("delta");
    connect(envoy);
    await until(() => complete(envoy));
    server.publish(node.cluster, [drop("listener", "m"), set("listener", "n")]);
    await until(() => envoy.config.listener.has("n"));
    await until(() => server.counters.types.listener.acks === 2);
    const { bytes, ...listener } = server.counters.types.listener;
    assert.deepEqual(listener, { responses: 2, resources: 3, removals: 1, acks: 2, nacks: 0, refused: 0 });
    assert.ok(bytes > 100);
    assert.deepEqual(server.counters.streams, { open: 1, total: 1, refused: 0, stuck: 0 });
  });

  it("sends the clients of a removed proxy away and forgets it", async () => {
    await start();
    server.publish(node.cluster, world);
    const envoy = new FakeEnvoy("delta");
    const wire = connect(envoy);
    await until(() => complete(envoy));
    server.remove(node.cluster);
    const { code, details } = await wire.ended;
    assert.deepEqual([code, details], [status.UNAVAILABLE, "this proxy is not served any more"]);
    await until(() => connections.at(-1)?.kind === "disconnected");
    assert.deepEqual(server.held(), { proxies: 0, streams: 0, slow: 0 });
    assert.equal(server.counters.streams.open, 0);
  });

  it("forgets clients that go, however they go", async () => {
    await start();
    for (const leave of [
      (wire: Wire) => wire.call.end(),
      (wire: Wire) => wire.call.cancel(),
      (wire: Wire) => wire.close(),
    ]) {
      const wire = open();
      wire.call.write(firstRequest);
      await until(() => server.held().streams === 1);
      leave(wire);
      await until(() => server.held().streams === 0);
      assert.deepEqual(server.held(), { proxies: 0, streams: 0, slow: 0 });
    }
    await until(() => connections.length === 6);
  });

  for (const [what, bytes, message] of [
    ["that is no message", Buffer.from([0xff, 0xff, 0xff]), /cannot be decoded/],
    [
      "without a type",
      encodeRequest(
        { typeUrl: "", subscribe: [], unsubscribe: [], initialVersions: new Map(), nonce: "", error: undefined },
        node,
      ),
      /no type of resource/,
    ],
    [
      "that does not say from whom it is",
      encodeRequest(
        {
          typeUrl: traits.cluster.typeUrl,
          subscribe: [],
          unsubscribe: [],
          initialVersions: new Map(),
          nonce: "",
          error: undefined,
        },
        undefined,
      ),
      /which node/,
    ],
  ] as const)
    it(`ends a stream with a request ${what}`, async () => {
      await start();
      const wire = open();
      wire.call.write(bytes);
      const { code, details } = await wire.ended;
      assert.equal(code, status.INVALID_ARGUMENT);
      assert.match(details, message);
      assert.deepEqual(server.held(), { proxies: 0, streams: 0, slow: 0 });
    });

  it("lets in only who may come, under the key that it is told", async () => {
    const asked: string[] = [];
    await start({
      authorize: ({ nodeId, nodeCluster, peer }) => {
        asked.push(`${nodeId} ${nodeCluster}`);
        assert.equal(peer.certificate, undefined);
        return nodeId === "envoy-1" ? { kind: "proxy", key: "other" } : { kind: "refused", message: "not you" };
      },
    });
    server.publish("other", world);
    const envoy = new FakeEnvoy("delta");
    connect(envoy);
    await until(() => complete(envoy));
    const wire = connect(new FakeEnvoy("delta"), { id: "envoy-2", cluster: node.cluster });
    const { code, details } = await wire.ended;
    assert.deepEqual([code, details], [status.PERMISSION_DENIED, "not you"]);
    assert.deepEqual(asked, ["envoy-1 team-a/gw", "envoy-2 team-a/gw"]);
    assert.equal(server.counters.streams.refused, 1);
  });

  it("takes requests beyond gRPC's usual limit: an Envoy tells all that it has when it comes back", async () => {
    await start();
    server.publish(node.cluster, []);
    const has = new Map(
      Array.from({ length: 100_000 }, (_, index) => [`team-a/some-listener-${index}`, "0123456789a"]),
    );
    const request = encodeRequest(
      {
        typeUrl: traits.listener.typeUrl,
        subscribe: [],
        unsubscribe: [],
        initialVersions: has,
        nonce: "",
        error: undefined,
      },
      node,
    );
    assert.ok(request.length > 4 * 1024 * 1024);
    let answers = 0;
    open(() => answers++).call.write(request);
    await until(() => answers === 1);
    assert.equal(server.counters.types.listener.removals, 100_000);
  });

  it("says what it does not send, and why", async () => {
    await start();
    server.publish(node.cluster, world);
    const envoy = new FakeEnvoy("delta");
    connect(envoy);
    await until(() => complete(envoy));
    server.publish(node.cluster, [set("secret", "s")]);
    server.publish(node.cluster, [set("cluster", "a", { name: "a" })]);
    assert.deepEqual(recorder.lines("debug").slice(-2), [
      "nothing is sent: the client does not ask for this type",
      "nothing is sent: the publication changes nothing",
    ]);
  });

  it("ends streams when it closes, and takes no more", async () => {
    await start();
    server.publish(node.cluster, world);
    const envoy = new FakeEnvoy("delta");
    const wire = connect(envoy);
    await until(() => complete(envoy));
    await server.close(5_000);
    assert.equal((await wire.ended).code, status.UNAVAILABLE);
    const late = connect(new FakeEnvoy("delta"));
    assert.equal((await late.ended).code, status.UNAVAILABLE);
  });

  it("survives a listener that throws, and one that publishes", async () => {
    await start();
    server.onVerdict(() => {
      throw new Error("a bug");
    });
    let published = false;
    server.onVerdict(({ type }) => {
      if (type !== "route" || published) return;
      published = true;
      server.publish(node.cluster, [set("route", "t", { name: "t", edition: 2 })]);
    });
    server.publish(node.cluster, world);
    const envoy = new FakeEnvoy("delta");
    connect(envoy);
    await until(() => envoy.config.route.get("t")?.content.edition === 2);
    assert.ok(recorder.lines("error").includes("a listener failed"));
  });

  it("takes the place of a socket that a dead process left, not of a living one", async () => {
    const path = join(folder, "ads.sock");
    const program = `require("node:net").createServer().listen(${JSON.stringify(path)}, () => console.log("ready"))`;
    const other = spawn(process.execPath, ["--eval", program], { stdio: ["ignore", "pipe", "ignore"] });
    await once(other.stdout, "data");
    await assert.rejects(start(), /EADDRINUSE|address/i);
    await server.close(0);
    other.kill("SIGKILL");
    await once(other, "exit");
    await start();
    server.publish(node.cluster, world);
    const envoy = new FakeEnvoy("delta");
    connect(envoy);
    await until(() => complete(envoy));
  });

  it("listens on TCP too", async () => {
    await start();
    const port = await server.listen("127.0.0.1:0");
    assert.ok(port > 0);
    server.publish(node.cluster, world);
    const envoy = new FakeEnvoy("delta");
    wires.push(connectEnvoy(`127.0.0.1:${port}`, envoy, node));
    await until(() => complete(envoy));
  });
});
