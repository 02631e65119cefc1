import type { DesiredObject } from "./apply-object.ts";
import type { Outcome } from "./statuses-outcome.ts";

/** What came of the work for one object. */
export type Step =
  | { readonly kind: "done" }
  | { readonly kind: "wait"; readonly delayMs: number }
  /** The Gateway itself is going, or its namespace: nothing is to be made for it. */
  | { readonly kind: "going" }
  /** To be tried again; `message` is for the user, where it is about what they asked for. */
  | { readonly kind: "failed"; readonly message?: string; readonly retryAfterMs?: number }
  /** One of the addresses cannot be had. */
  | { readonly kind: "unaddressed"; readonly request: string; readonly message: string };

export const done: Step = { kind: "done" };

/** A Gateway is served without one of its addresses. `services` are the names of those that are there for an address, with its `requestKey`. */
export function addressed(
  services: ReadonlyMap<string, string> | undefined,
  { kind, metadata }: DesiredObject,
  step: Step,
): Step {
  if (step.kind !== "failed" || step.message === undefined || kind !== "Service") return step;
  const request = services?.get(metadata.name);
  return request === undefined ? step : { kind: "unaddressed", request, message: step.message };
}

/** A failure of the server is none of the user's making. */
export function failed(what: string, outcome: Exclude<Outcome, { readonly kind: "done" }>): Step {
  switch (outcome.kind) {
    case "unavailable":
      return {
        kind: "failed",
        ...(outcome.retryAfterMs !== undefined && { retryAfterMs: outcome.retryAfterMs }),
      };
    case "conflict":
      return { kind: "failed" };
    case "gone":
      return { kind: "failed", message: `${what}: its namespace or its kind does not exist` };
    case "forbidden":
    case "refused":
    case "failed":
      return { kind: "failed", message: `${what}: ${outcome.message}` };
  }
}
