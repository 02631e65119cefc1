import assert from "node:assert/strict";
import { parseDurationMs } from "./duration.ts";

describe("parseDurationMs()", () => {
  const cases: readonly (readonly [string, number | undefined])[] = [
    ["0s", 0],
    ["500ms", 500],
    ["10s", 10_000],
    ["1m30s", 90_000],
    ["1h2m3s4ms", 3_723_004],
    ["99999h", 359_996_400_000],
    ["10s10s", 20_000],
    ["", undefined],
    ["10", undefined],
    ["1.5s", undefined],
    ["-1s", undefined],
    ["100000s", undefined],
    ["1us", undefined],
    ["1h1m1s1ms1ms", undefined],
    [" 1s", undefined],
  ];
  for (const [text, milliseconds] of cases)
    it(`reads ${JSON.stringify(text)} as ${milliseconds}`, () => assert.equal(parseDurationMs(text), milliseconds));
});
