import assert from "node:assert/strict";
import { createPace } from "./pace.ts";

describe("createPace()", () => {
  let now = 0;
  const pace = (maxMs: number) => createPace(maxMs, () => now);

  beforeEach(() => {
    now = 0;
  });

  it("does not wait when idle", () => {
    const idle = pace(100);
    assert.equal(idle.delayMs(), 0);
    idle.ended(30);
    now += 1000;
    assert.equal(idle.delayMs(), 0);
  });

  it("rests as long as the last round worked, up to the maximum", () => {
    const busy = pace(100);
    busy.ended(40);
    assert.equal(busy.delayMs(), 40);
    now += 15;
    assert.equal(busy.delayMs(), 25);
    busy.ended(5000);
    assert.equal(busy.delayMs(), 100);
  });
});
