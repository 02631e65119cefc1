export { type ExitCode, exitCodes, type Io, processIo } from "./io.ts";
export { runCli } from "./program.ts";
