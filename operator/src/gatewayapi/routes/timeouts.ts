import type { HTTPRouteRetry, HTTPRouteTimeouts } from "@gatewright/crd-types/gateway/v1";
import type { RetryPolicy } from "../../ir/index.ts";
import { parseDurationMs } from "./duration.ts";
import type { RuleReport } from "./report.ts";

export type Timeouts = { readonly requestTimeoutMs?: number; readonly backendTimeoutMs?: number };

/** https://gateway-api.sigs.k8s.io/geps/gep-1742/ */
export function translateTimeouts(timeouts: HTTPRouteTimeouts | undefined, report: RuleReport): Timeouts {
  const request = duration(timeouts?.request, "timeouts.request", report);
  const backend = duration(timeouts?.backendRequest, "timeouts.backendRequest", report);
  if (request !== undefined && request > 0 && backend !== undefined && backend > request)
    report.refuse("timeouts.backendRequest", "is longer than the timeout of the whole request");
  return {
    ...(request !== undefined && { requestTimeoutMs: request }),
    ...(backend !== undefined && { backendTimeoutMs: backend }),
  };
}

const defaultAttempts = 1;
/** Envoy refuses a base interval of nothing. */
const leastBackoffMs = 1;

/** Undefined: no retries. https://gateway-api.sigs.k8s.io/geps/gep-1731/ */
export function translateRetry(retry: HTTPRouteRetry | undefined, report: RuleReport): RetryPolicy | undefined {
  if (retry === undefined) return undefined;
  const { codes = [], attempts = defaultAttempts } = retry;
  const backoff = duration(retry.backoff, "retry.backoff", report);
  for (const [index, code] of codes.entries())
    if (!Number.isInteger(code) || code < 400 || code > 599)
      report.refuse(`retry.codes[${index}]`, `${code} is not a status from 400 to 599`);
  if (!Number.isInteger(attempts) || attempts < 0)
    report.refuse("retry.attempts", `${attempts} is not a number of tries`);
  if (attempts === 0) return undefined;
  return {
    attempts,
    statusCodes: [...new Set(codes)].toSorted((left, right) => left - right),
    ...(backoff !== undefined && { backoffMs: Math.max(backoff, leastBackoffMs) }),
  };
}

function duration(text: string | undefined, field: string, report: RuleReport): number | undefined {
  if (text === undefined) return undefined;
  const parsed = parseDurationMs(text);
  if (parsed === undefined) report.refuse(field, `${JSON.stringify(text)} is not a duration such as 500ms or 1m30s`);
  return parsed;
}
