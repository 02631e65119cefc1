/** Something in the files that a person should look at. */
export type SourceProblem = {
  readonly severity: "error" | "warning";
  /** As it was named or found. */
  readonly file: string;
  /** From 1. */
  readonly line?: number;
  readonly column?: number;
  /** `HTTPRoute team-a/x`. */
  readonly object?: string;
  /** `spec.rules[0].matches`. */
  readonly field?: string;
  readonly message: string;
};
