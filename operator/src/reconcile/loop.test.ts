import assert from "node:assert/strict";
import { silentLogger } from "../lib/index.ts";
import { createLoop } from "./loop.ts";

describe("createLoop()", () => {
  it("does nothing before it is started, then what was due", async () => {
    let rounds = 0;
    const loop = createLoop(50, silentLogger, async () => {
      rounds++;
    });
    loop.wake();
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(rounds, 0);
    loop.start();
    await loop.settled();
    assert.equal(rounds, 1);
    await loop.stop();
  });

  it("gathers what comes together in one round, and runs another for what comes meanwhile", async () => {
    let rounds = 0;
    const loop = createLoop(50, silentLogger, async () => {
      if (++rounds === 1) loop.wake();
    });
    loop.start();
    for (let i = 0; i < 10; i++) loop.wake();
    await loop.settled();
    assert.equal(rounds, 2);
    await loop.stop();
  });

  it("lives on after a round that throws", async () => {
    let rounds = 0;
    const loop = createLoop(50, silentLogger, async () => {
      if (++rounds === 1) throw new Error("bug");
    });
    loop.start();
    loop.wake();
    await loop.settled();
    loop.wake();
    await loop.settled();
    assert.equal(rounds, 2);
    await loop.stop();
  });

  it("holds actions back while a round runs", async () => {
    const order: string[] = [];
    const loop = createLoop(50, silentLogger, async () => {
      loop.between(() => order.push("between"));
      await new Promise((resolve) => setImmediate(resolve));
      order.push("round");
    });
    loop.between(() => order.push("at once"));
    loop.start();
    loop.wake();
    await loop.settled();
    assert.deepEqual(order, ["at once", "round", "between"]);
    await loop.stop();
  });

  it("runs no more after its end", async () => {
    let rounds = 0;
    const loop = createLoop(50, silentLogger, async () => {
      rounds++;
    });
    loop.start();
    await loop.stop();
    loop.wake();
    await loop.settled();
    assert.equal(rounds, 0);
  });
});
