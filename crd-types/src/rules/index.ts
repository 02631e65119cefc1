export { labelFaults, labelValueFaults, qualifiedNameFaults, subdomainFaults } from "./names.ts";
export { type RuleProblem, ruleProblems } from "./rules.ts";
