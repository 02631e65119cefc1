import { cutMessage } from "./messages.ts";
import type { DesiredCondition } from "./views.ts";

/** A user's mistake: the reason and message of the condition that tells of it. */
export type Problem = { readonly reason: string; readonly message: string };

export const isTrue = (type: string, reason: string, message = ""): DesiredCondition => ({
  type,
  status: "True",
  reason,
  message: cutMessage(message),
});

export const isFalse = (type: string, { reason, message }: Problem): DesiredCondition => ({
  type,
  status: "False",
  reason,
  message: cutMessage(message),
});

/** What the conditions that ought to be true say. */
export const reasonsOf = (conditions: readonly DesiredCondition[]): string =>
  conditions
    .filter(({ status, message }) => status === "False" && message !== "")
    .map(({ message }) => message)
    .join("; ");

/** The conditions as they go into a status. */
export const observedAt = (generation: number, conditions: readonly DesiredCondition[]): readonly DesiredCondition[] =>
  conditions.map((condition) => ({ ...condition, observedGeneration: generation }));
