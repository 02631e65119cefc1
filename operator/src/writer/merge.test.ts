import assert from "node:assert/strict";
import { mergeStatus, sameStatus, type Status } from "./merge.ts";

const ours = "gatewright.dev/gateway-controller";
const then = "2026-01-01T00:00:00Z";
const now = "2026-06-01T00:00:00Z";
const condition = (type: string, status: string, reason = "R") => ({
  type,
  status,
  reason,
  message: "",
  observedGeneration: 1,
});
const timed = (type: string, status: string, lastTransitionTime: string) => ({
  ...condition(type, status),
  lastTransitionTime,
});

describe("mergeStatus()", () => {
  it("puts a time on a condition when its status changes, and only then", () => {
    const previous = { conditions: [timed("Accepted", "True", then), timed("Programmed", "False", then)] };
    const merged = mergeStatus(
      previous,
      { conditions: [condition("Accepted", "True", "Other"), condition("Programmed", "True")] },
      ours,
      now,
    );
    assert.deepEqual(merged, {
      conditions: [{ ...timed("Accepted", "True", then), reason: "Other" }, timed("Programmed", "True", now)],
    });
  });

  it("keeps conditions of types that are not ours, and drops ours that are not wanted any more", () => {
    const foreign = timed("example.com/Checked", "True", then);
    const previous = { conditions: [foreign, timed("Conflicted", "True", then)] };
    const merged = mergeStatus(previous, { conditions: [condition("Accepted", "True")] }, ours, now);
    assert.deepEqual(merged, { conditions: [timed("Accepted", "True", now), foreign] });
  });

  it("keeps the entries of other controllers as they are, also twice the same", () => {
    const foreign = {
      parentRef: { name: "gw" },
      controllerName: "example.com/other",
      conditions: [timed("Accepted", "False", then)],
    };
    const own = (status: string, time?: string) => ({
      parentRef: { name: "gw" },
      controllerName: ours,
      conditions: [time === undefined ? condition("Accepted", status) : timed("Accepted", status, time)],
    });
    const gone = { ...own("True", then), parentRef: { name: "gone" } };
    const merged = mergeStatus(
      { parents: [foreign, own("True", then), gone, foreign] },
      { parents: [own("True")] },
      ours,
      now,
    );
    assert.deepEqual(merged, { parents: [foreign, foreign, own("True", then)] });
  });

  it("matches listeners by name", () => {
    const listener = (name: string, ...conditions: object[]) => ({ name, attachedRoutes: 1, conditions });
    const previous = { listeners: [listener("b", timed("Accepted", "True", then))] };
    const merged = mergeStatus(
      previous,
      { listeners: [listener("a", condition("Accepted", "True")), listener("b", condition("Accepted", "True"))] },
      ours,
      now,
    );
    assert.deepEqual(merged, {
      listeners: [listener("a", timed("Accepted", "True", now)), listener("b", timed("Accepted", "True", then))],
    });
  });

  it("makes nothing new of what stands", () => {
    const desired = {
      addresses: [{ type: "IPAddress", value: "127.0.0.1" }],
      conditions: [condition("Accepted", "True")],
      listeners: [{ name: "a", conditions: [condition("Accepted", "True")] }],
    };
    const first = mergeStatus(undefined, desired, ours, then);
    assert.ok(sameStatus(first, mergeStatus(first, desired, ours, now)));
    assert.ok(!sameStatus(first, mergeStatus(first, { ...desired, addresses: [] }, ours, now)));
  });

  it("does not trust what it finds", () => {
    const previous = {
      conditions: "none",
      listeners: [undefined, 3, { name: "a", conditions: [{ type: 1 }] }],
    } as Status;
    const merged = mergeStatus(
      previous,
      {
        conditions: [condition("Accepted", "True")],
        listeners: [{ name: "a", conditions: [condition("Accepted", "True")] }],
      },
      ours,
      now,
    );
    assert.deepEqual(merged, {
      conditions: [timed("Accepted", "True", now)],
      listeners: [{ name: "a", conditions: [timed("Accepted", "True", now)] }],
    });
  });
});
