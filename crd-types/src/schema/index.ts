export { compilePattern, type Matcher, PatternError } from "./regexp/index.ts";
export { formatPath, type Path, type SchemaProblem, type SchemaProblemKind } from "./problem.ts";
export type { Schema } from "./schema.ts";
export { applyDefaults, prune, unknownFields, validate } from "./interpret.ts";
