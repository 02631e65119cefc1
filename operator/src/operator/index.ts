export { type OperatorEnd, type OperatorOptions, runOperator } from "./run-operator.ts";
