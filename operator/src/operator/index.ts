export type { OperatorEnd, OperatorOptions } from "./options.ts";
export { runOperator } from "./run-operator.ts";
