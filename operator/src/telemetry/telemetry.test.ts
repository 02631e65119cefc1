import assert from "node:assert/strict";
import { createMetrics, type Endpoints, serveHealth, serveMetrics } from "./index.ts";

describe("telemetry", () => {
  const open: Endpoints[] = [];
  afterEach(async () => {
    for (const endpoints of open.splice(0)) await endpoints.close();
  });

  async function get({ port }: Endpoints, path: string, method = "GET") {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method });
    return { status: response.status, body: await response.text(), type: response.headers.get("content-type") };
  }

  it("is healthy while it answers, and ready when all is so", async () => {
    let problem: string | undefined = "HTTPRoutes are not listed yet";
    const health = await serveHealth(0, [
      { name: "objects", problem: () => problem },
      { name: "xds", problem: () => undefined },
    ]);
    open.push(health);
    assert.deepEqual(await get(health, "/healthz"), { status: 200, body: "ok\n", type: "text/plain; charset=utf-8" });
    const notReady = await get(health, "/readyz");
    assert.deepEqual(
      [notReady.status, notReady.body],
      [503, "[-] objects: HTTPRoutes are not listed yet\n[+] xds\nnot ok\n"],
    );
    problem = undefined;
    assert.deepEqual((await get(health, "/readyz?verbose")).status, 200);
    assert.equal((await get(health, "/")).status, 404);
    assert.equal((await get(health, "/constructor")).status, 404);
    assert.equal((await get(health, "/healthz", "POST")).status, 405);
  });

  it("reads metrics when asked, and says what is not there any more no longer", async () => {
    const metrics = createMetrics();
    let proxies = ["a", "b"];
    let pushes = 1;
    metrics.define({
      name: "gatewright_proxies",
      help: "Proxies.",
      kind: "gauge",
      labels: ["proxy"],
      read: () => proxies.map((proxy) => ({ labels: { proxy }, value: 1 })),
    });
    metrics.define({
      name: "gatewright_pushes_total",
      help: "Pushes.",
      kind: "counter",
      read: () => [{ value: pushes }],
    });
    const observe = metrics.histogram("gatewright_round_seconds", "Rounds.", [0.01, 0.1]);
    observe(0.05);
    const server = await serveMetrics(0, metrics);
    open.push(server);
    const first = await get(server, "/metrics");
    assert.match(first.type ?? "", /^text\/plain; version=0\.0\.4/);
    assert.match(first.body, /^gatewright_proxies\{proxy="b"\} 1$/m);
    assert.match(first.body, /^gatewright_round_seconds_bucket\{le="0\.01"\} 0$/m);
    assert.match(first.body, /^gatewright_round_seconds_bucket\{le="0\.1"\} 1$/m);
    assert.match(first.body, /^process_cpu_seconds_total /m);
    proxies = ["a"];
    pushes = 5;
    const second = (await get(server, "/metrics")).body;
    assert.doesNotMatch(second, /proxy="b"/);
    assert.match(second, /^gatewright_pushes_total 5$/m);
    assert.match((await get(server, "/metrics")).body, /^gatewright_pushes_total 5$/m);
  });

  it("says so where a port cannot be had, and where reading fails", async () => {
    const metrics = createMetrics();
    metrics.define({
      name: "gatewright_broken",
      help: "Breaks.",
      kind: "gauge",
      read: () => {
        throw new Error("cannot be read");
      },
    });
    const server = await serveMetrics(0, metrics);
    open.push(server);
    await assert.rejects(serveHealth(server.port, []), /EADDRINUSE/);
    const answer = await get(server, "/metrics");
    assert.deepEqual([answer.status, answer.body], [500, "Error: cannot be read\n"]);
  });

  it("tells what the event loop does without waking it", async () => {
    const metrics = createMetrics();
    const turns = () => performance.nodeTiming.uvMetricsInfo.loopCount;
    const before = turns();
    await new Promise((resolve) => setTimeout(resolve, 300));
    // A timer of 10 ms would make thirty.
    assert.ok(turns() - before < 15, `${turns() - before} turns of the event loop while nothing happened`);
    const text = await metrics.text();
    assert.match(text, /^nodejs_eventloop_turns_total [1-9]/m);
    assert.match(text, /^nodejs_eventloop_busy_seconds_total 0*[1-9.]/m);
    assert.doesNotMatch(text, /nodejs_eventloop_lag/);
  });
});
