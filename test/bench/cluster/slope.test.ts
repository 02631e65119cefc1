import assert from "node:assert/strict";
import { exponentOf, slopeOf } from "./slope.ts";

describe("the slope", () => {
  it("is that of a line, without noise", () => {
    const line = [0, 1, 2, 3].map((x) => ({ x, y: 5 - 2 * x }));
    assert.deepEqual(slopeOf(line), { slope: -2, noise: 0, mean: 2 });
  });

  it("has noise of what is no line", () => {
    const points = [0, 1, 2, 3, 4, 5, 6, 7].map((x) => ({ x, y: x % 2 === 0 ? 1 : -1 }));
    const found = slopeOf(points);
    assert.ok(found !== undefined && Math.abs(found.slope) < found.noise, JSON.stringify(found));
  });

  it("is none through one place", () => {
    assert.equal(slopeOf([{ x: 1, y: 1 }]), undefined);
    assert.equal(slopeOf([]), undefined);
  });

  it("tells the power by which something grows", () => {
    const grown = (power: number) => exponentOf([100, 1_000, 10_000].map((x) => ({ x, y: 7 * x ** power })));
    for (const power of [0, 0.5, 1, 2]) assert.ok(Math.abs((grown(power) ?? Number.NaN) - power) < 1e-9);
  });
});
