import assert from "node:assert/strict";
import fc from "fast-check";
import { createListWatch, type ListWatch, type ListWatchOptions, type ObjectEvent } from "./list-watch.ts";
import { connectPlainly, createRecorder, type HttpServer, startHttpServer, statusOf, until } from "./testing/index.ts";

const plural = "things";
const path = "/apis/example.com/v1/things";
const resource = { group: "example.com", versions: ["v1", "v2"], kind: "Thing", plural, namespaced: true };
const thing = (name: string, n = 0) => ({
  apiVersion: "example.com/v1",
  kind: "Thing",
  metadata: { name, namespace: "a" },
  spec: { n },
});

describe("createListWatch()", () => {
  let server: HttpServer;
  const opened: { close: () => void }[] = [];

  beforeEach(async () => {
    server = await startHttpServer();
    server.serve(resource);
  });
  afterEach(async () => {
    for (const one of opened.splice(0)) one.close();
    await server.close();
  });

  /** What the consumer knows, and how it was told. */
  function follow(options: Partial<ListWatchOptions> = {}) {
    const objects = new Map<string, unknown>();
    const events: ObjectEvent[] = [];
    const recorder = createRecorder();
    const api = connectPlainly(server.url);
    const watch: ListWatch = createListWatch({
      api,
      path,
      name: "Thing",
      logger: recorder.logger,
      // Pauses are as short as they can be; that they are made at all is tested by their requests.
      clock: { after: (ms, action) => cancelling(setTimeout(action, Math.min(ms, 10))) },
      onEvents: (batch) => {
        for (const event of batch) {
          events.push(event);
          if (event.kind === "gone") objects.delete(event.key);
          else objects.set(event.key, event.object["spec"]);
        }
      },
      ...options,
    });
    opened.push(watch, api);
    return { watch, objects, events, recorder, api };
  }

  const same = (objects: ReadonlyMap<string, unknown>) => {
    const there = server.objects(plural);
    return (
      objects.size === there.size &&
      [...there].every(([key, { spec }]) => JSON.stringify(objects.get(key)) === JSON.stringify(spec))
    );
  };
  const lists = () => server.requests.filter(({ query }) => query.get("watch") === null);
  const watches = () => server.requests.filter(({ query }) => query.get("watch") === "true");

  it("reads a list in pages and goes on from there", async () => {
    for (let i = 0; i < 1_200; i++) server.put(plural, thing(`t${i}`, i));
    const { watch, objects } = follow();
    await until(() => server.watches() === 1);
    assert.equal(objects.size, 1_200);
    assert.deepEqual(
      lists().map(({ query }) => [query.get("limit"), query.get("continue") !== null]),
      [
        ["50", false],
        ["500", true],
        ["500", true],
        ["500", true],
      ],
    );
    const [request] = watches();
    assert.equal(request?.query.get("allowWatchBookmarks"), "true");
    const seconds = Number(request?.query.get("timeoutSeconds"));
    assert.ok(seconds >= 300 && seconds <= 600, String(seconds));
    server.put(plural, thing("t1", 7));
    server.remove(plural, "a/t2");
    await until(() => same(objects));
    assert.deepEqual(watch.state().isListed, true);
    assert.equal(watch.state().objects, 1_199);
  });

  it("asks for smaller pages where objects are large", async () => {
    for (let i = 0; i < 600; i++) server.put(plural, { ...thing(`t${i}`), spec: { text: "x".repeat(20_000) } });
    const { objects } = follow();
    await until(() => server.watches() === 1);
    assert.equal(objects.size, 600);
    const [first, second] = lists().map(({ query }) => Number(query.get("limit")));
    assert.equal(first, 50);
    assert.ok(second !== undefined && second >= 20 && second <= 25, String(second));
  });

  for (const how of ["end", "reset", "half-line"] as const)
    it(`goes on where it was after a watch is cut (${how})`, async () => {
      server.put(plural, thing("one"));
      const { objects, events } = follow();
      await until(() => server.watches() === 1);
      server.put(plural, thing("two"));
      await until(() => same(objects));
      server.cut(how);
      server.put(plural, thing("three"));
      server.remove(plural, "a/one");
      await until(() => same(objects));
      assert.equal(lists().length, 1);
      assert.equal(events.length, 4);
    });

  it("goes on from the last bookmark", async () => {
    const { watch, objects } = follow();
    await until(() => server.watches() === 1);
    server.compact();
    server.bookmark();
    await until(() => watch.state().lastSign !== undefined);
    server.cut("reset");
    await until(() => server.watches() === 1);
    server.put(plural, thing("one"));
    await until(() => same(objects));
    assert.equal(lists().length, 1);
  });

  for (const expiry of ["status", "event"] as const)
    it(`finds what it missed when the past is forgotten (410 as ${expiry})`, async () => {
      server.expiry = expiry;
      for (const name of ["stays", "goes", "changes"]) server.put(plural, thing(name));
      const { objects, events } = follow();
      await until(() => server.watches() === 1);
      events.length = 0;
      const holdUp = server.intercept(() => ({ status: 503 }));
      server.cut("reset");
      server.remove(plural, "a/goes");
      server.put(plural, thing("changes", 1));
      server.put(plural, thing("comes"));
      server.compact();
      holdUp();
      await until(() => same(objects));
      assert.deepEqual(events.map(({ kind, key }) => `${kind} ${key}`).toSorted(), [
        "gone a/goes",
        "present a/changes",
        "present a/comes",
      ]);
    });

  it("begins a list anew that expires half-way, and forgoes pages when that happens again", async () => {
    for (let i = 0; i < 1_200; i++) server.put(plural, thing(`t${i}`));
    server.intercept(({ query }) => {
      if (query.has("continue")) {
        server.remove(plural, `a/t${lists().length}`);
        server.compact();
      }
      return undefined;
    });
    const { objects } = follow();
    await until(() => server.watches() === 1);
    assert.ok(same(objects));
    assert.deepEqual(
      lists().map(({ query }) => query.get("limit")),
      ["50", "500", "500", "500", null],
    );
  });

  it("asks again for the page that did not come, and waits as it is asked to", async () => {
    for (let i = 0; i < 600; i++) server.put(plural, thing(`t${i}`));
    const delays: number[] = [];
    let left = 3;
    server.intercept(({ query }) => {
      if (!query.has("continue") || left-- <= 0) return undefined;
      if (left === 2) return { status: 429, headers: { "retry-after": "7" } };
      return left === 1 ? { status: 500, body: "<html>" } : { raw: (response) => response.destroy() };
    });
    const { objects } = follow({
      clock: {
        after: (ms, action) => {
          delays.push(ms);
          return cancelling(setTimeout(action, 1));
        },
      },
    });
    await until(() => server.watches() === 1);
    assert.ok(same(objects));
    assert.deepEqual(
      lists().map(({ query }) => query.has("continue")),
      [false, true, true, true, true, true],
    );
    assert.equal(delays[0], 7_000);
    // What breaks on a kept connection is sent again at once: the server may only have ended it.
    assert.equal(delays.length, 2);
  });

  it("keeps what it has while it may not read, says so once, and goes on", async () => {
    server.put(plural, thing("one"));
    const { watch, objects, recorder } = follow();
    await until(() => server.watches() === 1);
    const body = statusOf(403, "Forbidden", 'things is forbidden: User "u" cannot watch');
    const allow = server.intercept(() => ({ status: 403, body }));
    server.cut("end");
    const before = server.requests.length;
    await until(() => server.requests.length > before + 3);
    assert.equal(watch.state().trouble?.kind, "forbidden");
    assert.equal(objects.size, 1);
    assert.deepEqual(recorder.lines("warn"), [
      'Thing cannot be read: 403 Forbidden: things is forbidden: User "u" cannot watch; what was read of it stays in effect; trying again',
    ]);
    server.put(plural, thing("two"));
    allow();
    await until(() => same(objects));
    assert.equal(watch.state().trouble, undefined);
    assert.deepEqual(recorder.lines("info"), ["Thing is read again"]);
  });

  it("reads all anew when a kind that was gone is back", async () => {
    server.put(plural, thing("one"));
    const { watch, objects } = follow();
    await until(() => server.watches() === 1);
    server.withdraw(plural);
    await until(() => watch.state().trouble?.kind === "missing");
    assert.equal(objects.size, 1);
    server.serve(resource);
    await until(() => objects.size === 0);
  });

  it("renews a watch that is silent for too long", async () => {
    follow({ silenceMs: 50 });
    await until(() => watches().length >= 3);
    assert.equal(lists().length, 1);
  });

  it("reads all anew after lines that it cannot read", async () => {
    const { watch, objects, recorder } = follow();
    await until(() => server.watches() === 1);
    for (let round = 0; round < 3; round++) {
      await until(() => server.watches() === 1);
      const before = watch.state().watches;
      server.send(plural, '{"type":"WHATEVER"}\n');
      await until(() => watch.state().watches > before);
    }
    await until(() => lists().length === 2);
    server.put(plural, thing("one"));
    await until(() => same(objects));
    assert.match(recorder.lines("warn")[0] ?? "", /unknown type "WHATEVER"/);
  });

  it("does not swallow what its consumer throws, and tells all anew", async () => {
    for (const name of ["one", "two"]) server.put(plural, thing(name));
    const told: string[] = [];
    let broken: string | undefined = "gone a/one";
    const { watch, recorder } = follow({
      onEvents: (events) => {
        for (const { kind, key } of events) {
          if (`${kind} ${key}` === broken) {
            broken = undefined;
            throw new Error("a bug");
          }
          told.push(`${kind} ${key}`);
        }
      },
    });
    await until(() => server.watches() === 1);
    server.remove(plural, "a/one");
    await until(() => told.includes("gone a/one"));
    assert.deepEqual(recorder.lines("error"), ["Thing: what was read could not be taken; reading all anew"]);
    assert.deepEqual(told.slice(2), ["present a/two", "gone a/one"]);
    await until(() => watch.state().trouble === undefined);
  });

  it("does not ask without pause, however it is answered", async () => {
    // A server whose watches are all too old: each list is good, and leads to nothing.
    const delays: number[] = [];
    server.intercept(({ query }) => (query.has("watch") ? { status: 410, body: {} } : undefined));
    follow({
      clock: {
        after: (ms, action) => {
          delays.push(ms);
          return cancelling(setTimeout(action, 1));
        },
      },
    });
    await until(() => delays.length >= 8);
    assert.ok(
      delays.slice(6, 8).every((ms) => ms >= 5_000),
      String(delays),
    );
  });

  it("waits longer and longer for a list, however well it went before", async () => {
    const delays: number[] = [];
    const { objects } = follow({
      clock: {
        after: (ms, action) => {
          delays.push(ms);
          return cancelling(setTimeout(action, 1));
        },
      },
    });
    await until(() => server.watches() === 1);
    server.put(plural, thing("one"));
    await until(() => same(objects));
    server.intercept(({ query }) => ({ status: query.has("watch") ? 410 : 500 }));
    server.cut("end");
    await until(() => delays.length >= 10);
    assert.ok(
      delays.slice(8, 10).every((ms) => ms >= 5_000),
      String(delays),
    );
  });

  it("moves to another version without telling anything twice", async () => {
    server.put(plural, thing("one"));
    const { watch, objects, events } = follow();
    await until(() => server.watches() === 1);
    watch.moveTo("/apis/example.com/v2/things");
    await until(() => watches().some((request) => request.path.includes("/v2/")) && server.watches() === 1);
    assert.equal(events.length, 1);
    server.put(plural, thing("two"));
    await until(() => same(objects));
  });

  it("is silent once it is closed", async () => {
    const { watch, events } = follow();
    await until(() => server.watches() === 1);
    watch.close();
    await until(() => server.watches() === 0);
    const before = server.requests.length;
    server.put(plural, thing("one"));
    assert.deepEqual(events, []);
    assert.equal(server.requests.length, before);
  });

  it("knows what the server has after any faults", async function () {
    this.timeout(60_000);
    const name = fc.nat({ max: 5 });
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ kind: fc.constant("put" as const), name, n: fc.nat({ max: 9 }) }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove" as const), name }) },
      fc.record({ kind: fc.constantFrom("end", "reset", "half-line") }),
      fc.record({ kind: fc.constantFrom("compact", "bookmark", "settle", "garbage") }),
      fc.record({
        kind: fc.constant("fail" as const),
        status: fc.constantFrom(403, 410, 429, 500, 503),
        times: fc.integer({ min: 1, max: 3 }),
      }),
    );
    const runs = fc.asyncProperty(
      fc.array(step, { maxLength: 30 }),
      fc.constantFrom("status", "event"),
      async (steps, expiry) => {
        server.expiry = expiry;
        for (const key of server.objects(plural).keys()) server.remove(plural, key);
        const { watch, objects, api } = follow();
        let failures = 0;
        let failure = 500;
        const stop = server.intercept(() => (failures-- > 0 ? { status: failure, body: {} } : undefined));
        try {
          for (const one of steps) {
            if (one.kind === "put") server.put(plural, thing(`t${one.name}`, one.n));
            else if (one.kind === "remove") server.remove(plural, `a/t${one.name}`);
            else if (one.kind === "compact") server.compact();
            else if (one.kind === "bookmark") server.bookmark();
            else if (one.kind === "garbage") server.send(plural, "{\n");
            else if (one.kind === "fail") [failure, failures] = [one.status, one.times];
            else if (one.kind === "settle") await until(() => same(objects) && watch.state().isListed);
            else server.cut(one.kind);
          }
          await until(() => same(objects) && watch.state().isListed);
        } finally {
          stop();
          watch.close();
          api.close();
        }
      },
    );
    await fc.assert(runs, { numRuns: 150 });
  });
});

function cancelling(timer: NodeJS.Timeout): () => void {
  return () => clearTimeout(timer);
}
