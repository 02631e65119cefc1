import { Client, credentials, Metadata, status as codes, type StatusObject } from "@grpc/grpc-js";
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:http2";
import { connect as connectSocket, createServer, type Socket } from "node:net";
import { until } from "../testing/until.ts";
import type { Call } from "./call.ts";
import { createGrpcServer, frameMessage, type GrpcServer, status } from "./index.ts";

const method = "/some.Service/Method";
const asIs = (bytes: Buffer): Buffer => bytes;

describe("the gRPC server", () => {
  let server: GrpcServer;
  let port: number;
  let calls: Call[];
  let heard: string[];
  let ends: string[];
  const clients: Client[] = [];

  async function start(keepaliveMs = 30_000): Promise<void> {
    calls = [];
    heard = [];
    ends = [];
    server = createGrpcServer({
      methods: {
        [method]: (call) => {
          calls.push(call);
          return { onMessage: (message) => heard.push(String(message)), onEnd: (reason) => ends.push(reason) };
        },
      },
      maxReceiveBytes: 1_000,
      keepaliveMs,
    });
    port = await server.listen("127.0.0.1:0");
  }

  function open(path = method, metadata = new Metadata()) {
    const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), { "grpc.enable_retries": 0 });
    clients.push(client);
    const call = client.makeBidiStreamRequest(path, asIs, asIs, metadata);
    const received: Buffer[] = [];
    call.on("data", (bytes: Buffer) => received.push(bytes));
    call.on("error", () => undefined);
    const ended = new Promise<StatusObject>((done) => call.on("status", done));
    return { call, received, ended };
  }

  afterEach(async () => {
    for (const client of clients.splice(0)) client.close();
    await server.close(0);
  });

  it("carries messages both ways, of whatever size, in order", async () => {
    await start();
    const { call, received, ended } = open();
    for (const text of ["one", "", "two"]) call.write(Buffer.from(text));
    await until(() => heard.length === 3);
    assert.deepEqual(heard, ["one", "", "two"]);
    const big = Buffer.alloc(100_000, "x");
    let taken = 0;
    for (const message of [Buffer.from("a"), big, Buffer.alloc(0)])
      calls[0]?.send(frameMessage(message), (bytes) => (taken += bytes));
    calls[0]?.end(status.ok, "");
    assert.equal((await ended).code, codes.OK);
    assert.deepEqual(received, [Buffer.from("a"), big, Buffer.alloc(0)]);
    assert.equal(taken, 100_001 + 15);
    assert.equal(ends.length, 1);
  });

  it("says how a call ends, with all that was sent before", async () => {
    await start();
    const { call, received, ended } = open();
    call.write(Buffer.from("x"));
    await until(() => heard.length === 1);
    calls[0]?.send(frameMessage(Buffer.alloc(50_000)), () => undefined);
    calls[0]?.end(status.unavailable, "später, 100 %");
    calls[0]?.end(status.ok, "");
    const { code, details } = await ended;
    assert.deepEqual([code, details, received.length], [codes.UNAVAILABLE, "später, 100 %", 1]);
  });

  it("hears when the client is done, and when it is gone", async () => {
    await start();
    const done = open();
    done.call.write(Buffer.from("x"));
    await until(() => heard.length === 1);
    done.call.end();
    assert.equal((await done.ended).code, codes.OK);
    const gone = open();
    gone.call.write(Buffer.from("x"));
    await until(() => heard.length === 2);
    gone.call.cancel();
    await until(() => ends.length === 2);
    assert.equal(ends[0], "the client closed it");
    assert.equal(ends.length, 2);
  });

  it("knows no other method", async () => {
    await start();
    for (const path of ["/some.Service/Other", "/toString"]) {
      const { code, details } = await open(path).ended;
      assert.deepEqual([code, details], [codes.UNIMPLEMENTED, `there is no method ${path}`]);
    }
  });

  it("takes no message that is too large or compressed", async () => {
    await start();
    const large = open();
    large.call.write(Buffer.alloc(1_001));
    assert.equal((await large.ended).code, codes.RESOURCE_EXHAUSTED);
    const session = connect(`http://127.0.0.1:${port}`);
    const stream = session.request({ ":method": "POST", ":path": method, "grpc-encoding": "gzip" });
    const [trailers] = await once(stream.resume(), "trailers");
    assert.equal(trailers["grpc-status"], String(codes.UNIMPLEMENTED));
    session.destroy();
    assert.deepEqual(heard, []);
  });

  it("leaves requests in the network while it is paused", async () => {
    await start();
    const { call } = open();
    call.write(Buffer.from("first"));
    await until(() => heard.length === 1);
    calls[0]?.pause();
    const burst = 500;
    for (let index = 0; index < burst; index++) call.write(Buffer.alloc(1_000));
    const other = open();
    other.call.write(Buffer.from("other"));
    await until(() => heard.includes("other"));
    assert.deepEqual(heard, ["first", "other"]);
    calls[0]?.resume();
    await until(() => heard.length === burst + 2);
  });

  it("cuts a connection whose other side does not answer to probes", async () => {
    await start(20);
    const sockets: Socket[] = [];
    const relay = createServer((socket) => {
      const up = connectSocket(port, "127.0.0.1");
      sockets.push(socket, up);
      for (const each of [socket, up]) each.on("error", () => undefined);
      socket.pipe(up).pipe(socket);
    });
    await once(relay.listen(0, "127.0.0.1"), "listening");
    const direct = port;
    const { port: relayed } = relay.address() as { port: number };
    const stays = open();
    stays.call.write(Buffer.from("stays"));
    port = relayed;
    const { call } = open();
    port = direct;
    call.write(Buffer.from("x"));
    await until(() => heard.length === 2);
    for (const socket of sockets) socket.unpipe().pause();
    await until(() => ends.length === 1);
    assert.deepEqual(ends, ["the connection broke or the client cancelled"]);
    stays.call.write(Buffer.from("still there"));
    await until(() => heard.includes("still there"));
    for (const socket of sockets) socket.destroy();
    relay.close();
  });

  it("takes in as many connections as come, few at a time", async () => {
    await start();
    const sockets = Array.from({ length: 200 }, () => connectSocket(port, "127.0.0.1"));
    for (const socket of sockets) socket.on("error", () => undefined);
    const { call } = open();
    call.write(Buffer.from("in the crowd"));
    await until(() => heard.length === 1);
    for (const socket of sockets) socket.destroy();
  });

  it("closes with patience, and then without", async () => {
    await start();
    const { call, ended } = open();
    call.write(Buffer.from("x"));
    await until(() => heard.length === 1);
    const closed = server.close(60_000);
    calls[0]?.end(status.unavailable, "going away");
    assert.equal((await ended).code, codes.UNAVAILABLE);
    for (const client of clients) client.close();
    await closed;
    await start();
    const stays = open();
    stays.call.write(Buffer.from("x"));
    await until(() => heard.length === 1);
    await server.close(0);
    assert.notEqual((await stays.ended).code, codes.OK);
  });
});
