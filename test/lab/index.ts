export { addresses } from "./addresses.ts";
export { buildPrograms, type BuildOptions } from "./build.ts";
export { type ComponentName, componentNames } from "./components.ts";
export { gatewayApiCrds, gatewayApiFolder } from "./gateway-api.ts";
export type { Image } from "./images.ts";
export { type Lab, type LabOptions, type LabStatus, openLab, type UpOptions } from "./lab.ts";
export { LabError, messageOf } from "./lab-error.ts";
export { mustRun, runCommand } from "./run-command.ts";
export type { GoProgram } from "./programs.ts";
