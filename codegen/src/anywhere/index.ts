export { help, parseArguments } from "./arguments.ts";
export { CannotRun } from "./cannot-run.ts";
export { generate, type Outcome } from "./run.ts";
