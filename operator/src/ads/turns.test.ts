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

  it("share one slice with all that is taken in the same round of the event loop", async () => {
    const done: number[] = [];
    const turns = new Turns<number>((item) => {
      busy(3);
      done.push(item);
    });
    for (const item of [1, 2, 3, 4, 5]) turns.take([item]);
    assert.ok(done.length <= 2, `${done.length} at once`);
    while (turns.waiting > 0) await setImmediate();
    assert.deepEqual(done, [1, 2, 3, 4, 5]);
  });

  it("wait as long as they may not go on", () => {
    const done: number[] = [];
    let mayGoOn = false;
    const turns = new Turns<number>(
      (item) => done.push(item),
      () => mayGoOn,
    );
    turns.take([1, 2]);
    turns.drop(2);
    assert.deepEqual(done, []);
    mayGoOn = true;
    turns.resume();
    assert.deepEqual(done, [1]);
  });

  it("go on after one that failed", async () => {
    const done: number[] = [];
    const turns = new Turns<number>((item) => {
      if (item === 1) throw new Error("a bug");
      done.push(item);
    });
    assert.throws(() => turns.take([1, 2]), /a bug/);
    while (turns.waiting > 0) await setImmediate();
    assert.deepEqual(done, [2]);
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
