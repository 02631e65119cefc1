export { labelFaults, labelValueFaults, qualifiedNameFaults, subdomainFaults } from "./names.ts";
export { completeObject, type ObjectOptions, type ObjectProblem, objectProblems } from "./object.ts";
export { type RuleProblem, ruleProblems, type UncheckedRule, uncheckedRules } from "./rules.ts";
