export { type ExitCode, exitCodes, type Io, processIo } from "./io.ts";
export { runCli } from "./program.ts";
export { type OfflineTranslation, translateObjects } from "./translation.ts";
export { envoyOutput } from "./envoy-output.ts";
