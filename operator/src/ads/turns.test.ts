import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { Turns } from "./turns.ts";

const busy = (ms: number): void => {
  for (const end = performance.now() + ms; performance.now() < end; );
};

describe("turns", () => {
  it("come at once, each item once", () => {
    const done: number[] = [];
    const turns = new Turns<number>((item) => done.push(item));
    turns.take([1, 2, 1]);
    assert.deepEqual(done, [1, 2]);
  });

  it("leave the event loop to others when they take long", async () => {
    const done: number[] = [];
    const turns = new Turns<number>((item) => {
      busy(6);
      done.push(item);
    });
    turns.take([1, 2, 3]);
    assert.deepEqual(done, [1]);
    turns.take([3, 4]);
    while (turns.waiting > 0) await setImmediate();
    assert.deepEqual(done, [1, 2, 3, 4]);
  });

  it("take in what comes up in a turn", () => {
    const done: number[] = [];
    const turns = new Turns<number>((item) => {
      done.push(item);
      if (item === 1) turns.take([2]);
    });
    turns.take([1, 3]);
    assert.deepEqual(new Set(done), new Set([1, 2, 3]));
  });
});
