export { ruleProblems as ruleFaults } from "@gatewright/crd-types/rules";
