import assert from "node:assert/strict";
import { applyMergePatch } from "../kubernetes/testing/index.ts";
import {
  entriesWithoutRoom,
  mergeStatus,
  observedGenerationOf,
  sameStatus,
  type Status,
  withoutEntriesOf,
} from "./merge.ts";
import { statusPatch } from "./status-patch.ts";

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
    assert.deepEqual(merged, { conditions: [foreign, timed("Accepted", "True", now)] });
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
    assert.deepEqual(merged, { parents: [foreign, own("True", then), foreign] });
  });

  it("moves nothing: each controller's entries and conditions keep their places", () => {
    const entry = (name: string, controllerName: string) => ({
      parentRef: { name },
      controllerName,
      conditions: [timed("Accepted", "True", then)],
    });
    const previous = { parents: [entry("b", ours), entry("x", "example.com/other"), entry("a", ours)] };
    const desired = (...names: string[]) => ({
      parents: names.map((name) => ({ ...entry(name, ours), conditions: [condition("Accepted", "True")] })),
    });
    const merge = (...names: string[]) =>
      (mergeStatus(previous, desired(...names), ours, then)["parents"] as { parentRef: { name: string } }[]).map(
        ({ parentRef }) => parentRef.name,
      );
    assert.deepEqual(merge("a", "b"), ["b", "x", "a"]);
    assert.deepEqual(merge("c", "a"), ["x", "a", "c"]);
    const mixed = { conditions: [timed("example.com/Checked", "True", then), timed("Accepted", "True", then)] };
    assert.ok(sameStatus(mixed, mergeStatus(mixed, { conditions: [condition("Accepted", "True")] }, ours, now)));
  });

  it("keeps fields that are not ours, and is at rest with them", () => {
    const desired = { conditions: [condition("Accepted", "True")] };
    const previous = { attachedListenerSets: 2, foo: { bar: [1] }, conditions: [timed("Accepted", "True", then)] };
    const merged = mergeStatus(previous, desired, ours, now);
    assert.deepEqual(merged, previous);
    assert.ok(sameStatus(previous, merged));
    assert.equal(statusPatch(previous, merged), undefined);
  });

  for (const [field, key, max] of [
    ["parents", "parentRef", 32],
    ["ancestors", "ancestorRef", 16],
  ] as const)
    it(`leaves out ours where others fill ${field}`, () => {
      const entry = (name: string, controllerName: string) => ({ [key]: { name }, controllerName, conditions: [] });
      const foreign = Array.from({ length: max - 1 }, (_, i) => entry(`f${i}`, "example.com/other"));
      const desired = { [field]: [entry("a", ours), entry("b", ours)] };
      const merged = mergeStatus({ [field]: foreign }, desired, ours, now);
      assert.deepEqual(merged[field], [...foreign, entry("a", ours)]);
      assert.equal(entriesWithoutRoom(desired, merged, ours), 1);
      const full = { [field]: [...foreign, entry("last", "example.com/other")] };
      assert.ok(sameStatus(full, mergeStatus(full, desired, ours, now)));
      assert.equal(entriesWithoutRoom(desired, full, ours), 2);
    });

  it("leaves out ours from the end where others fill the conditions", () => {
    const foreign = Array.from({ length: 7 }, (_, i) => timed(`example.com/C${i}`, "True", then));
    const previous = { conditions: [...foreign, timed("Programmed", "True", then)] };
    const desired = { conditions: [condition("Accepted", "True"), condition("Programmed", "True")] };
    const merged = mergeStatus(previous, desired, ours, now);
    assert.deepEqual(merged, { conditions: [...foreign, timed("Accepted", "True", now)] });
    assert.ok(sameStatus(merged, mergeStatus(merged, desired, ours, now)));
  });

  it("takes leave of an object without touching what others wrote", () => {
    const foreign = { parentRef: { name: "x" }, controllerName: "example.com/other", conditions: [] };
    const status = { foo: 1, parents: [{ ...foreign, controllerName: ours }, foreign] };
    assert.deepEqual(withoutEntriesOf(ours, status), { foo: 1, parents: [foreign] });
    assert.deepEqual(withoutEntriesOf(ours, { conditions: [] }), { conditions: [] });
  });

  it("knows of which generation our own conditions speak", () => {
    const at = (observedGeneration: number, type = "Accepted") => ({
      ...timed(type, "True", then),
      observedGeneration,
    });
    const entry = (controllerName: string, generation: number) => ({ controllerName, conditions: [at(generation)] });
    assert.equal(observedGenerationOf({ conditions: [at(3), at(9, "example.com/Checked")] }, ours), 3);
    assert.equal(observedGenerationOf({ parents: [entry("example.com/other", 9), entry(ours, 4)] }, ours), 4);
    assert.equal(observedGenerationOf({ conditions: [at(3)], listeners: [{ conditions: [at(5)] }] }, ours), 5);
    assert.equal(observedGenerationOf(undefined, ours), 0);
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

describe("statusPatch()", () => {
  it("carries only what differs, and says what goes", () => {
    const before = { a: 1, b: { c: 1, d: 2, e: [1] }, f: 1 };
    const after = { a: 1, b: { c: 2, e: [1, 2] }, g: { h: 1 } };
    assert.deepEqual(statusPatch(before, after), { b: { c: 2, d: null, e: [1, 2] }, f: null, g: { h: 1 } });
    assert.deepEqual(applyMergePatch(before, statusPatch(before, after) ?? {}), after);
    assert.equal(statusPatch(before, { ...before }), undefined);
    assert.deepEqual(statusPatch(undefined, { a: 1 }), { a: 1 });
  });
});
