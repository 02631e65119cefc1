export { ruleFaults } from "./rules.ts";
