export {
  checkExtension,
  type ExtensionCheck,
  type ExtensionSpec,
  neutralConfig,
  offConfig,
  wholeConfig,
} from "./check-extension.ts";
export { defaultFilters, type KnownFilter, knownFilters } from "./filters.ts";
export type { ExtensionProblem, ExtensionProblemReason } from "./problem.ts";
