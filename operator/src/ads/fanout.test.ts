import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { Fanout } from "./fanout.ts";
import { makeResource } from "./testing/content.ts";
import type { Draft } from "./type-session.ts";

describe("responses for many clients", () => {
  const one = makeResource("cluster", "a");
  const draft = (): Draft => ({ type: "cluster", form: "delta", resources: [one], removed: ["b"] });

  function create(): Fanout {
    let serial = 0;
    return new Fanout(() => ++serial);
  }

  it("are encoded once", () => {
    const fanout = create();
    assert.equal(fanout.encode(draft(), 0).bytes, fanout.encode(draft(), 0).bytes);
  });

  it("are encoded for each where they differ", () => {
    const fanout = create();
    const others: Draft[] = [
      { ...draft(), removed: [] },
      { ...draft(), removed: ["c"] },
      { ...draft(), resources: [makeResource("cluster", "a")] },
      { ...draft(), form: "whole" },
      { ...draft(), type: "listener" },
    ];
    const bytes = [draft(), ...others].map((each) => fanout.encode(each, 0).bytes);
    assert.equal(new Set(bytes).size, bytes.length);
  });

  it("never have the same nonce twice on a stream", () => {
    const fanout = create();
    const first = fanout.encode(draft(), 0);
    const second = fanout.encode(draft(), first.serial);
    assert.notEqual(second.nonce, first.nonce);
    assert.ok(second.serial > first.serial);
  });

  it("are kept no longer than a turn", async () => {
    const fanout = create();
    const { bytes } = fanout.encode(draft(), 0);
    await setImmediate();
    assert.notEqual(fanout.encode(draft(), 0).bytes, bytes);
  });
});
