import assert from "node:assert/strict";
import { Fanout } from "./fanout.ts";
import { makeResource } from "./testing/content.ts";
import { createManualClock } from "./testing/manual-clock.ts";
import type { Draft } from "./type-session.ts";

describe("responses for many clients", () => {
  const one = makeResource("cluster", "a");
  const draft = (): Draft => ({ type: "cluster", form: "delta", resources: [one], removed: ["b"] });

  function create() {
    let serial = 0;
    const clock = createManualClock();
    return { clock, fanout: new Fanout(() => ++serial, clock) };
  }

  it("are encoded once", () => {
    const { fanout } = create();
    assert.equal(fanout.encode(draft(), 0).framed, fanout.encode(draft(), 0).framed);
  });

  it("are encoded for each where they differ", () => {
    const { fanout } = create();
    const others: Draft[] = [
      { ...draft(), removed: [] },
      { ...draft(), removed: ["c"] },
      { ...draft(), resources: [makeResource("cluster", "a")] },
      { ...draft(), form: "whole" },
      { ...draft(), type: "listener" },
    ];
    const bytes = [draft(), ...others].map((each) => fanout.encode(each, 0).framed);
    assert.equal(new Set(bytes).size, bytes.length);
  });

  it("never have the same nonce twice on a stream", () => {
    const { fanout } = create();
    const first = fanout.encode(draft(), 0);
    const second = fanout.encode(draft(), first.serial);
    assert.notEqual(second.nonce, first.nonce);
    assert.ok(second.serial > first.serial);
  });

  it("are kept as long as clients come that are due the same, and a moment longer", () => {
    const { fanout, clock } = create();
    const { framed } = fanout.encode(draft(), 0);
    for (let seconds = 0; seconds < 5; seconds++) {
      assert.equal(fanout.encode(draft(), 0).framed, framed);
      clock.advance(1_000);
    }
    clock.advance(1_000);
    assert.equal(clock.waiting(), 0);
    assert.notEqual(fanout.encode(draft(), 0).framed, framed);
  });
});
