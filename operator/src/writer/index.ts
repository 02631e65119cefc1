export { createStatusFiles, type StatusFiles, type StatusFilesOptions } from "./files/status-files.ts";
export { mergeStatus, sameStatus, type Status } from "./merge.ts";
export {
  createStatusWriter,
  type StatusWrite,
  type StatusWriter,
  type StatusWriterOptions,
  type StatusWriterStats,
} from "./kubernetes/statuses.ts";
export {
  type Applier,
  type ApplierOptions,
  type ApplierStats,
  createApplier,
  type Wanted,
} from "./kubernetes/apply.ts";
export {
  createEventRecorder,
  type EventRecorder,
  type EventRecorderOptions,
  type EventRecorderStats,
  type Regarding,
} from "./kubernetes/events.ts";
