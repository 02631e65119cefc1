import assert from "node:assert/strict";
import fc from "fast-check";
import { type ApiRequest, type ApiResponse, ApiUnreachableError } from "../kubernetes/index.ts";
import {
  createFakeApiServer,
  createManualTime,
  type FakeApiServer,
  failure,
  type ManualTime,
} from "../kubernetes/testing/index.ts";
import type { Logger } from "../lib/index.ts";
import { createLeaderElection, type LeaderElection } from "./election.ts";

const path = "/apis/coordination.k8s.io/v1/namespaces/gatewright-system/leases/gatewright";

type Replica = {
  readonly election: LeaderElection;
  readonly changes: boolean[];
  readonly log: string[];
  /** What happens to its requests. */
  network: "up" | "down" | "silent";
  /** How long an answer is on its way. */
  latencyMs: number;
  /** Its event loop stands still: timers and answers wait. */
  readonly hang: (hangs: boolean) => void;
};

function createReplica(api: FakeApiServer, time: ManualTime, identity: string, skewMs = 0): Replica {
  const changes: boolean[] = [];
  const log: string[] = [];
  const write = (fields: object, message: string) => {
    log.push([message, ...("err" in fields ? [String(fields.err)] : [])].join(": "));
  };
  const logger: Logger = { debug: write, info: write, warn: write, error: write, child: () => logger };
  let waiting: (() => void)[] | undefined;
  const whenAwake = (action: () => void) => {
    if (waiting === undefined) action();
    else waiting.push(action);
  };
  const awake = () => new Promise<void>((resolve) => whenAwake(resolve));
  async function request(sent: ApiRequest): Promise<ApiResponse> {
    if (replica.network === "down") throw new ApiUnreachableError("connect ECONNREFUSED");
    const answer = await api.request(sent);
    if (replica.latencyMs > 0) await new Promise<void>((resolve) => time.after(replica.latencyMs, resolve));
    await awake();
    if (replica.network === "up") return answer;
    // It was done, but the answer is lost.
    await new Promise<void>((resolve) => time.after(sent.timeoutMs ?? 0, () => whenAwake(resolve)));
    throw new ApiUnreachableError("no answer within 5 s");
  }
  const election = createLeaderElection({
    api: { ...api, request },
    namespace: "gatewright-system",
    name: "gatewright",
    identity,
    logger,
    clock: { after: (delayMs, action) => time.after(delayMs, () => whenAwake(action)) },
    now: () => new Date(Date.UTC(2026, 0, 1) + time.now() + skewMs),
    monotonicMs: time.now,
    random: () => 0.5,
  });
  election.onChange((leads) => changes.push(leads));
  const replica: Replica = {
    election,
    changes,
    log,
    network: "up",
    latencyMs: 0,
    hang: (hangs) => {
      const actions = waiting ?? [];
      waiting = hangs ? actions : undefined;
      if (!hangs) for (const action of actions) action();
    },
  };
  return replica;
}

describe("leader election", () => {
  let api: FakeApiServer;
  let time: ManualTime;
  let replicas: Replica[];
  beforeEach(() => {
    api = createFakeApiServer();
    time = createManualTime();
    replicas = [];
  });
  afterEach(async () => {
    for (const replica of replicas) {
      replica.network = "up";
      replica.hang(false);
    }
    const stopped = Promise.all(replicas.map(({ election }) => election.stop()));
    await time.advance(30_000);
    await stopped;
  });

  function join(identity: string, skewMs = 0): Replica {
    const replica = createReplica(api, time, identity, skewMs);
    replicas.push(replica);
    replica.election.start();
    return replica;
  }
  const spec = () => api.get(path)?.["spec"] as Record<string, unknown> | undefined;
  const leaders = () => replicas.filter(({ election }) => election.isLeader());

  it("makes the Lease and keeps it, one write each two seconds", async () => {
    const a = join("a");
    await time.settle();
    assert.deepEqual(spec(), {
      holderIdentity: "a",
      leaseDurationSeconds: 15,
      acquireTime: "2026-01-01T00:00:00.000000Z",
      renewTime: "2026-01-01T00:00:00.000000Z",
      leaseTransitions: 0,
    });
    const before = api.requests.length;
    await time.advance(60_000);
    assert.deepEqual(new Set(api.requests.slice(before).map(({ method }) => method)), new Set(["PUT"]));
    assert.equal(api.requests.length - before, 30);
    assert.deepEqual(
      [spec()?.["acquireTime"], spec()?.["renewTime"]],
      ["2026-01-01T00:00:00.000000Z", "2026-01-01T00:01:00.000000Z"],
    );
    assert.deepEqual(a.changes, [true]);
  });

  it("passes on at once when the holder ends, and counts the transition", async () => {
    const a = join("a");
    await time.settle();
    const b = join("b", -3_600_000);
    await time.advance(30_000);
    assert.deepEqual([a.election.isLeader(), b.election.isLeader()], [true, false]);
    await a.election.stop();
    assert.deepEqual([a.election.isLeader(), a.changes, spec()?.["holderIdentity"]], [false, [true, false], ""]);
    await time.advance(5_000);
    assert.ok(b.election.isLeader());
    assert.deepEqual([spec()?.["holderIdentity"], spec()?.["leaseTransitions"]], ["b", 1]);
    assert.deepEqual(b.election.stats(), { leads: true, holder: "b", leaseTransitions: 1, acquired: 1, failures: 0 });
    assert.ok(b.log.includes("a leads"));
  });

  for (const hours of [-12, 12])
    it(`waits 15 s for a holder that is gone, though its clock goes ${hours} hours wrong`, async () => {
      const a = join("a");
      await time.settle();
      const b = join("b", hours * 3_600_000);
      await time.advance(20_000);
      a.network = "down";
      let lost = 0;
      while (!b.election.isLeader()) {
        await time.advance(500);
        lost += 500;
        assert.ok(leaders().length <= 1);
        assert.ok(lost < 25_000);
      }
      assert.ok(lost >= 13_000, `${lost}`);
    });

  it("leads no more at the deadline, even if nothing runs and nothing answers", async () => {
    const a = join("a");
    await time.advance(3_000);
    a.hang(true);
    time.freeze(9_000);
    // Its last renewal was sent at 2 s.
    assert.equal(a.election.isLeader(), false);
    a.hang(false);
    await time.advance(0);
    assert.ok(a.election.isLeader());
  });

  it("tells that it leads no more when the server answers nothing, and leads again when it does", async () => {
    const a = join("a");
    await time.settle();
    a.network = "down";
    await time.advance(9_900);
    assert.ok(a.election.isLeader());
    await time.advance(200);
    assert.deepEqual(a.changes, [true, false]);
    a.network = "up";
    await time.advance(5_000);
    assert.deepEqual([a.changes, spec()?.["leaseTransitions"]], [[true, false, true], 0]);
    const told = a.log.filter((line) => line.includes("cannot be had"));
    assert.deepEqual(told, ["the lease cannot be had or renewed; trying again: connect ECONNREFUSED"]);
    assert.ok(a.election.stats().failures >= 3);
  });

  it("goes on when a renewal was stored and only its answer was lost", async () => {
    const a = join("a");
    await time.advance(2_500);
    a.network = "silent";
    await time.advance(2_000);
    a.network = "up";
    await time.advance(60_000);
    assert.deepEqual(a.changes, [true]);
  });

  it("keeps what others write into the Lease, and leads until the deadline where they leave it no moment", async () => {
    const a = join("a");
    await time.settle();
    let always = false;
    let written = 0;
    api.intercept(({ method }) => {
      const lease = api.get(path);
      if (method === "PUT" && lease !== undefined && (always || written < 3))
        api.put(path, { ...lease, metadata: { ...lease.metadata, labels: { at: `${++written}` } } });
      return undefined;
    });
    await time.advance(30_000);
    assert.deepEqual([a.changes, api.get(path)?.metadata["labels"]], [[true], { at: "3" }]);
    always = true;
    await time.advance(9_000);
    assert.ok(a.election.isLeader());
    await time.advance(2_000);
    assert.equal(a.election.isLeader(), false);
  });

  it("makes the Lease anew when somebody deletes it", async () => {
    const a = join("a");
    await time.settle();
    api.delete(path);
    await time.advance(4_000);
    assert.deepEqual([a.changes, spec()?.["holderIdentity"]], [[true], "a"]);
  });

  it("frees the Lease after a renewal whose answer came too late", async () => {
    const a = join("a");
    await time.advance(1_500);
    a.network = "silent";
    await time.advance(1_000);
    const stopped = a.election.stop();
    a.network = "up";
    await time.advance(10_000);
    await stopped;
    assert.equal(spec()?.["holderIdentity"], "");
    assert.deepEqual(a.changes, [true, false]);
  });

  it("says once what it may not, and what would allow it", async () => {
    api.intercept(() => failure(403, "Forbidden", "leases is forbidden"));
    const a = join("a");
    await time.advance(60_000);
    assert.deepEqual(a.log, [
      "the lease cannot be had or renewed; trying again: get: 403 Forbidden: leases is forbidden; a Role in the namespace gatewright-system must allow get, create and update on leases in coordination.k8s.io",
    ]);
  });

  it("says that the namespace is missing", async () => {
    api.intercept(({ method }) => (method === "POST" ? failure(404, "NotFound", "namespaces not found") : undefined));
    const a = join("a");
    await time.advance(10_000);
    assert.deepEqual(a.log, [
      "the lease cannot be had or renewed; trying again: the namespace gatewright-system of the lease does not exist",
    ]);
  });

  it("has never two leaders, whatever fails, and one when nothing does", async function () {
    this.timeout(60_000);
    const step = fc.record({
      replica: fc.nat({ max: 2 }),
      what: fc.constantFrom("up", "down", "silent", "hang", "wake"),
      forMs: fc.integer({ min: 500, max: 20_000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 20 }), async (steps) => {
        api = createFakeApiServer();
        time = createManualTime();
        replicas = [];
        for (const [i, identity] of ["a", "b", "c"].entries()) join(identity, (i - 1) * 86_400_000).latencyMs = 700;
        for (const { replica: i, what, forMs } of steps) {
          const replica = replicas[i];
          if (what === "hang") replica?.hang(true);
          else if (what === "wake") replica?.hang(false);
          else if (replica !== undefined) replica.network = what;
          for (let passed = 0; passed < forMs; passed += 250) {
            await time.advance(250);
            assert.ok(leaders().length <= 1, "two lead");
          }
        }
        for (const replica of replicas) {
          replica.network = "up";
          replica.hang(false);
        }
        await time.advance(25_000);
        assert.equal(leaders().length, 1);
        assert.equal(
          spec()?.["holderIdentity"],
          leaders()[0] && ["a", "b", "c"][replicas.indexOf(leaders()[0] as Replica)],
        );
      }),
      { numRuns: 60 },
    );
  });
});
