/**
 * Condition types that Gateway API and we define, on whatever object: one that we no longer want goes. Every other type is somebody else's.
 */
export const ownConditions: ReadonlySet<string> = new Set([
  "Accepted",
  "AddressesAssigned",
  "Conflicted",
  "Detached",
  "InsecureFrontendValidationMode",
  "OverlappingTLSConfig",
  "PartiallyInvalid",
  "Programmed",
  "Ready",
  "ResolvedRefs",
  "Scheduled",
  "SupportedVersion",
]);

/** Of these, True is what people should look at; of all others, False. */
export const faultConditions: ReadonlySet<string> = new Set([
  "Conflicted",
  "Detached",
  "InsecureFrontendValidationMode",
  "OverlappingTLSConfig",
  "PartiallyInvalid",
]);
