export { compilePattern, type Matcher } from "./matcher.ts";
export { PatternError } from "./syntax.ts";
