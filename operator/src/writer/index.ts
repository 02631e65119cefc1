export { createStatusFiles, type StatusFiles, type StatusFilesOptions } from "./files/status-files.ts";
export { mergeStatus, sameStatus, type Status } from "./merge.ts";
export * from "./kubernetes/index.ts";
