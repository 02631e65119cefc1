import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type ApiServer, ApiUnreachableError } from "./api-server.ts";
import { connectPlainly, createRecorder, until } from "./testing/index.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

describe("createHttpApiServer()", () => {
  let server: Server;
  let url: string;
  let api: ApiServer;
  let handle: Handler;
  let seen: { request: IncomingMessage; body: string; socket: Socket }[];

  beforeEach(async () => {
    seen = [];
    server = createServer((request, response) => {
      const entry = { request, body: "", socket: request.socket };
      seen.push(entry);
      request.on("data", (chunk: Buffer) => {
        entry.body += chunk.toString();
      });
      request.on("end", () => handle(request, response));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    api = connectPlainly(url);
  });
  afterEach(async () => {
    api.close();
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  });

  const json =
    (status: number, body: unknown, headers: Record<string, string> = {}): Handler =>
    (_, response) =>
      response.writeHead(status, headers).end(JSON.stringify(body));
  const get = { method: "GET", path: "/x" } as const;

  it("sends what it is told to, below the server's own path", async () => {
    api.close();
    api = connectPlainly(`${url}/k8s/clusters/c-1/`);
    handle = json(200, { ok: true });
    const answer = await api.request({
      method: "PATCH",
      path: "/apis/apps/v1/things/a%2Fb",
      query: { dryRun: "All", force: true, limit: 5, none: undefined, label: "a=b,c" },
      body: { spec: "ü" },
      contentType: "application/merge-patch+json",
      accept: "application/yaml",
    });
    assert.deepEqual(answer, { status: 200, body: { ok: true }, bytes: 11 });
    const [one] = seen;
    assert.equal(
      one?.request.url,
      "/k8s/clusters/c-1/apis/apps/v1/things/a%2Fb?dryRun=All&force=true&limit=5&label=a%3Db%2Cc",
    );
    assert.equal(one.body, '{"spec":"ü"}');
    const { "content-type": type, accept, "user-agent": agent } = one.request.headers;
    assert.deepEqual([type, accept, agent], ["application/merge-patch+json", "application/yaml", "gatewright"]);
  });

  it("hands over any answer, and when to ask again", async () => {
    handle = json(409, { reason: "Conflict" });
    assert.deepEqual(await api.request(get), { status: 409, body: { reason: "Conflict" }, bytes: 21 });
    handle = (_, response) => response.writeHead(502, { "retry-after": "3" }).end("<html>");
    assert.deepEqual(await api.request(get), { status: 502, body: "<html>", bytes: 6, retryAfterMs: 3_000 });
    handle = (_, response) =>
      response.writeHead(429, { "retry-after": new Date(Date.now() + 60_000).toUTCString() }).end();
    const { body, retryAfterMs = 0 } = await api.request(get);
    assert.equal(body, undefined);
    assert.ok(retryAfterMs > 50_000 && retryAfterMs <= 60_000, String(retryAfterMs));
    handle = (_, response) => response.writeHead(429, { "retry-after": "soon" }).end();
    assert.equal((await api.request(get)).retryAfterMs, undefined);
  });

  it("keeps connections, as many as there are requests at once", async () => {
    handle = json(200, {});
    for (let i = 0; i < 5; i++) await api.request(get);
    assert.equal(new Set(seen.map(({ socket }) => socket)).size, 1);
    await Promise.all(Array.from({ length: 4 }, () => api.request(get)));
    assert.ok(new Set(seen.map(({ socket }) => socket)).size <= 4);
  });

  it("sends a read again whose kept connection had ended, and no write", async () => {
    handle = json(200, {});
    await api.request(get);
    const [{ socket: kept } = { socket: undefined }] = seen;
    handle = (request, response) => {
      if (request.socket === kept) request.socket.destroy();
      else json(200, { fresh: true })(request, response);
    };
    assert.deepEqual((await api.request(get)).body, { fresh: true });
    handle = json(200, {});
    await api.request(get);
    handle = (request) => request.socket.destroy();
    const before = seen.length;
    await assert.rejects(api.request({ method: "POST", path: "/x", body: {} }), ApiUnreachableError);
    assert.equal(seen.length, before + 1);
  });

  it("rejects half an answer", async () => {
    handle = (_, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write('{"a":', () => response.destroy());
    };
    await assert.rejects(api.request({ method: "PUT", path: "/x" }), /cannot be reached: the connection broke/);
  });

  it("gives up after a time, or when told to", async () => {
    handle = (_, response) => {
      response.writeHead(200);
      response.write("{");
    };
    await assert.rejects(api.request({ ...get, timeoutMs: 30 }), /cannot be reached: no whole answer came for 0\.03 s/);
    const controller = new AbortController();
    const request = api.request({ ...get, signal: controller.signal });
    controller.abort();
    await assert.rejects(request, /^ApiUnreachableError: a request to .* was given up/);
    await assert.rejects(api.request({ ...get, signal: controller.signal }), /was given up/);
  });

  it("ends what is under way when it is closed, and begins nothing", async () => {
    handle = (_, response) => response.writeHead(200).flushHeaders();
    const all = [api.request(get), api.stream(get, () => undefined)].map((one) => assert.rejects(one, /is closed/));
    await until(() => seen.length === 2);
    api.close();
    await Promise.all(all);
    await assert.rejects(api.request(get), /is closed/);
  });

  it("says once that the server is away, and once that it is back, and nothing of what was given up", async () => {
    const recorder = createRecorder();
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, "close");
    const lone = connectPlainly(url, recorder.logger);
    for (let i = 0; i < 3; i++) await assert.rejects(lone.request(get), /connection refused/);
    assert.equal(recorder.lines("warn").length, 1);
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    handle = json(200, {});
    for (let i = 0; i < 2; i++) await lone.request(get);
    assert.deepEqual(recorder.lines("info"), ["the API server answers again"]);
    handle = () => undefined;
    const request = lone.request(get);
    lone.close();
    await assert.rejects(request);
    assert.equal(recorder.lines("warn").length, 1);
  });

  describe("streams", () => {
    it("hand over lines as they come, and say that they are open before", async () => {
      let write: (text: string) => void = () => undefined;
      let end: () => void = () => undefined;
      handle = (_, response) => {
        response.writeHead(200).flushHeaders();
        write = (text) => void response.write(text);
        end = () => void response.end();
      };
      const lines: string[] = [];
      let isOpen = false;
      const stream = api.stream(
        get,
        (line) => lines.push(line),
        () => {
          isOpen = true;
        },
      );
      await until(() => isOpen);
      assert.deepEqual(lines, []);
      write('{"a":1}\n{"b"');
      await until(() => lines.length === 1);
      write(":2}\n\nrest");
      await until(() => lines.length === 2);
      end();
      assert.deepEqual(await stream, { status: 200, body: undefined });
      assert.deepEqual(lines, ['{"a":1}', '{"b":2}']);
    });

    it("resolve with a refusal, and reject where the connection breaks or is silent", async () => {
      handle = json(410, { reason: "Expired" });
      let lines = 0;
      const stream = (timeoutMs = 1_000) => api.stream({ ...get, timeoutMs }, () => lines++);
      assert.deepEqual(await stream(), { status: 410, body: { reason: "Expired" }, bytes: 20 });
      handle = (_, response) => {
        response.write("a\nb", () => response.destroy());
      };
      await assert.rejects(stream(), /the connection broke/);
      handle = (_, response) => void response.write("a\n");
      await assert.rejects(stream(50), /it was silent for 0\.05 s/);
      assert.equal(lines, 2);
    });

    it("may last, as long as something comes", async () => {
      let left = 8;
      handle = (_, response) => {
        const timer = setInterval(() => {
          response.write("a\n");
          if (--left > 0) return;
          clearInterval(timer);
          response.end();
        }, 200);
      };
      let lines = 0;
      await api.stream({ ...get, timeoutMs: 1_000 }, () => lines++);
      assert.equal(lines, 8);
    });

    it("reject with what the caller throws, and end the request", async () => {
      handle = (_, response) => void response.write("a\nb\n");
      const bug = new Error("a bug");
      const lines: string[] = [];
      const stream = api.stream(get, (line) => {
        lines.push(line);
        throw bug;
      });
      await assert.rejects(stream, (error) => error === bug);
      assert.deepEqual(lines, ["a"]);
      await until(() => seen[0]?.socket.destroyed === true);
    });

    it("take lines of any size, and leave others their turn in a burst", async () => {
      const long = "x".repeat(8_000_000);
      handle = (_, response) => response.end(`${long}\n${"y\n".repeat(20_000)}`);
      let turns = 0;
      const timer = setInterval(() => turns++, 1);
      const seenTurns = new Set<number>();
      let lines = 0;
      await api.stream(get, (line) => {
        if (++lines === 1) assert.equal(line, long);
        // Each line costs something: without turns, they would all be seen at one count.
        for (const until_ = performance.now() + 0.01; performance.now() < until_; );
        seenTurns.add(turns);
      });
      clearInterval(timer);
      assert.equal(lines, 20_001);
      assert.ok(seenTurns.size > 5, String(seenTurns.size));
    });
  });
});
