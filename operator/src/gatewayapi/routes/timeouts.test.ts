import assert from "node:assert/strict";
import type { HTTPRouteRetry, HTTPRouteTimeouts } from "@gatewright/crd-types/gateway/v1";
import { createRuleReport } from "./report.ts";
import { type Timeouts, translateRetry, translateTimeouts } from "./timeouts.ts";

describe("translateTimeouts()", () => {
  const cases: readonly (readonly [HTTPRouteTimeouts | undefined, Timeouts])[] = [
    [undefined, {}],
    [{}, {}],
    [{ request: "10s" }, { requestTimeoutMs: 10_000 }],
    [{ request: "0s" }, { requestTimeoutMs: 0 }],
    [{ backendRequest: "500ms" }, { backendTimeoutMs: 500 }],
    [
      { request: "1s", backendRequest: "1s" },
      { requestTimeoutMs: 1000, backendTimeoutMs: 1000 },
    ],
    // Without an end for the whole, a try may last as long as it likes.
    [
      { request: "0s", backendRequest: "1h" },
      { requestTimeoutMs: 0, backendTimeoutMs: 3_600_000 },
    ],
  ];
  for (const [timeouts, want] of cases)
    it(`takes ${JSON.stringify(timeouts)}`, () => {
      const report = createRuleReport(0);
      assert.deepEqual(translateTimeouts(timeouts, report), want);
      assert.deepEqual(report.invalid, []);
    });

  for (const [timeouts, message] of [
    [{ request: "10" }, /timeouts\.request: "10" is not a duration/],
    [{ backendRequest: "1.5s" }, /timeouts\.backendRequest: "1\.5s" is not a duration/],
    [{ request: "1s", backendRequest: "1001ms" }, /timeouts\.backendRequest: is longer/],
  ] as const)
    it(`refuses ${JSON.stringify(timeouts)}`, () => {
      const report = createRuleReport(0);
      translateTimeouts(timeouts, report);
      assert.equal(report.invalid.length, 1);
      assert.match(report.invalid[0]?.message ?? "", message);
    });
});

describe("translateRetry()", () => {
  const cases: readonly (readonly [HTTPRouteRetry | undefined, ReturnType<typeof translateRetry>])[] = [
    [undefined, undefined],
    [{}, { attempts: 1, statusCodes: [] }],
    [{ attempts: 0, codes: [500] }, undefined],
    [
      { attempts: 3, codes: [503, 500, 503], backoff: "100ms" },
      { attempts: 3, statusCodes: [500, 503], backoffMs: 100 },
    ],
    // Envoy refuses an interval of nothing.
    [{ backoff: "0s" }, { attempts: 1, statusCodes: [], backoffMs: 1 }],
  ];
  for (const [retry, want] of cases)
    it(`takes ${JSON.stringify(retry)}`, () => {
      const report = createRuleReport(0);
      assert.deepEqual(translateRetry(retry, report), want);
      assert.deepEqual(report.invalid, []);
    });

  for (const [retry, message] of [
    [{ codes: [500, 200] }, /retry\.codes\[1\]: 200 is not a status/],
    [{ codes: [600] }, /retry\.codes\[0\]: 600/],
    [{ attempts: -1 }, /retry\.attempts: -1/],
    [{ attempts: 1.5 }, /retry\.attempts: 1\.5/],
    [{ backoff: "soon" }, /retry\.backoff: "soon" is not a duration/],
  ] as const)
    it(`refuses ${JSON.stringify(retry)}`, () => {
      const report = createRuleReport(0);
      translateRetry(retry, report);
      assert.equal(report.invalid.length, 1);
      assert.match(report.invalid[0]?.message ?? "", message);
    });
});
