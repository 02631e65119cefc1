import assert from "node:assert/strict";
import { ApiUnreachableError } from "../../kubernetes/index.ts";
import {
  createFakeApiServer,
  createManualTime,
  failure,
  failureOfEndingNamespace,
  type FakeObject,
} from "../../kubernetes/testing/index.ts";
import { createEventRecorder } from "./events.ts";
import type { StatusWrite } from "./statuses.ts";
import { createRecordingLogger, type LogLine } from "./testing/status-world.ts";

const bad = { conditions: [{ type: "Programmed", status: "False", reason: "Invalid", message: "port 80" }] };
const good = { conditions: [{ type: "Programmed", status: "True", reason: "Programmed" }] };

function begin(leads = true) {
  const api = createFakeApiServer();
  const time = createManualTime();
  const log: LogLine[] = [];
  const state = { leads };
  const recorder = createEventRecorder({
    api,
    controllerName: "gatewright.dev/gateway-controller",
    instance: "gatewright-0",
    isLeader: () => state.leads,
    logger: createRecordingLogger(log),
    clock: time,
    now: () => new Date(Date.UTC(2026, 0, 1) + time.now()),
    monotonicMs: time.now,
  });
  const write = (name: string, before: object | undefined, after: object, namespace: string | undefined = "a") =>
    recorder.record({
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: namespace === undefined ? "GatewayClass" : "Gateway",
      key: namespace === undefined ? name : `${namespace}/${name}`,
      uid: `uid-of-${name}`,
      resourceVersion: "7",
      before,
      after,
    } as StatusWrite);
  const events = () => api.paths().map((path) => api.get(path) as FakeObject);
  return { api, time, log, state, recorder, write, events };
}

describe("events in a cluster", () => {
  it("stand at their object, in its namespace", async () => {
    const { time, write, events, recorder } = begin();
    write("gw", good, bad);
    await time.settle();
    const [event] = events();
    const { metadata, ...rest } = event as FakeObject;
    assert.match(String(metadata["name"]), /^gw\.[0-9a-f]{16}$/);
    assert.equal(metadata["namespace"], "a");
    assert.deepEqual(rest, {
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      eventTime: "2026-01-01T00:00:00.000000Z",
      type: "Warning",
      action: "Program",
      reason: "Invalid",
      note: "Programmed is False: port 80",
      regarding: {
        apiVersion: "gateway.networking.k8s.io/v1",
        kind: "Gateway",
        namespace: "a",
        name: "gw",
        uid: "uid-of-gw",
        resourceVersion: "7",
      },
      reportingController: "gatewright.dev/gateway-controller",
      reportingInstance: "gatewright-0",
    });
    write("gw", bad, good);
    await time.settle();
    assert.deepEqual(
      events().map((each) => each["type"]),
      ["Warning", "Normal"],
    );
    await recorder.close();
  });

  it("of objects without a namespace stand in default, and long names are cut", async () => {
    const { time, write, api, recorder } = begin();
    recorder.record({ ...classWrite("x".repeat(253)) });
    write("short", good, bad);
    await time.settle();
    const [path = ""] = api.paths();
    assert.match(path, /^\/apis\/events\.k8s\.io\/v1\/namespaces\/default\/events\/x{236}\.[0-9a-f]{16}$/);
    await recorder.close();
  });

  it("are one for the same thing, with a count told every five minutes", async () => {
    const { time, write, events, api, recorder } = begin();
    for (let i = 0; i < 100; i++) {
      write("gw", good, bad);
      write("gw", bad, good);
      await time.advance(1_000);
    }
    assert.equal(api.requests.length, 2);
    await time.advance(250_000);
    assert.equal(api.requests.length, 4);
    assert.deepEqual(
      events().map((event) => event["series"]),
      [
        { count: 100, lastObservedTime: "2026-01-01T00:01:39.000000Z" },
        { count: 100, lastObservedTime: "2026-01-01T00:01:39.000000Z" },
      ],
    );
    await time.advance(3_600_000);
    assert.deepEqual([api.requests.length, time.waiting()], [4, 0]);
    write("gw", good, bad);
    await time.settle();
    assert.equal(events().length, 3);
    await recorder.close();
  });

  it("are left out where there are too many", async () => {
    const { time, write, api, log, recorder } = begin();
    for (let i = 0; i < 1_000; i++) write(`gw${i}`, good, bad);
    await time.settle();
    await time.settle();
    assert.ok(api.requests.length <= 51);
    await time.advance(200_000);
    // Those that wait, and the one under way.
    assert.equal(api.requests.length, 201);
    assert.deepEqual([recorder.stats().written, recorder.stats().dropped], [201, 799]);
    assert.equal(log.length, 1);
    await recorder.close();
  });

  it("are the leader's", async () => {
    const { time, write, api, state, recorder } = begin(false);
    write("gw", good, bad);
    state.leads = true;
    write("gw2", good, bad);
    state.leads = false;
    await time.advance(10_000);
    assert.ok(api.requests.length <= 1);
    await recorder.close();
  });

  it("are given up where they are forbidden, which is said once", async () => {
    const { time, write, api, log, recorder } = begin();
    const stop = api.intercept(() => failure(403, "Forbidden", "cannot create resource events"));
    for (let i = 0; i < 100; i++) {
      write(`gw${i}`, good, bad);
      await time.advance(1_000);
    }
    assert.equal(api.requests.length, 1);
    assert.deepEqual(
      log.map(({ fields }) => fields),
      [
        {
          err: "403 Forbidden: cannot create resource events; a ClusterRole must allow create and patch on events in events.k8s.io",
        },
      ],
    );
    stop();
    await time.advance(300_000);
    write("gw0", good, bad);
    await time.settle();
    assert.equal(recorder.stats().written, 1);
    await recorder.close();
  });

  it("that could not be written are tried when the thing happens again", async () => {
    const { time, write, api, log, recorder } = begin();
    const stop = api.intercept(() => new ApiUnreachableError("down"));
    write("gw", good, bad);
    await time.settle();
    stop();
    write("gw", good, bad);
    await time.settle();
    assert.deepEqual([recorder.stats(), log.length], [{ written: 1, dropped: 0, failed: 1 }, 1]);
    assert.equal(api.paths().length, 1);
    await recorder.close();
  });

  it("say nothing of a namespace that ends", async () => {
    const { time, write, api, log, recorder } = begin();
    api.intercept(() => failureOfEndingNamespace("a"));
    write("gw", good, bad);
    await time.settle();
    assert.deepEqual(log, []);
    await recorder.close();
  });
});

const classWrite = (name: string): StatusWrite => ({
  apiVersion: "gateway.networking.k8s.io/v1",
  kind: "GatewayClass",
  key: name,
  uid: "uid",
  resourceVersion: "7",
  before: undefined,
  after: { conditions: [{ type: "Accepted", status: "False", reason: "InvalidParameters" }] },
});
