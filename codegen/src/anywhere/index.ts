export { type Output, runCodegen } from "./command.ts";
