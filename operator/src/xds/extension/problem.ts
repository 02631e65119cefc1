/** Why a configuration is refused. */
export type ExtensionProblemReason =
  /** The filter may not be used through an HTTPFilter, or this mesh does not allow it. */
  | "NotAllowed"
  | "MissingField"
  /** `@type` names no message of Envoy's API. */
  | "UnknownType"
  /** `@type` names a message that the filter does not take for a route. */
  | "WrongType"
  | "UnknownField"
  | "InvalidValue"
  /** A rule of Envoy's API is broken. */
  | "RuleViolation"
  /** No rule is broken, but Envoy refuses it when it builds the filter. */
  | "RefusedByEnvoy"
  /** Part of Envoy's API that may not be used through an HTTPFilter. */
  | "NotSupported"
  | "TooLarge";

export type ExtensionProblem = {
  readonly reason: ExtensionProblemReason;
  /** Within the HTTPFilter's spec, as its author spelled it: `typedConfig.requestRules[0].header`. */
  readonly path: string;
  readonly message: string;
};
