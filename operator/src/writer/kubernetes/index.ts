export {
  createStatusWriter,
  type StatusWrite,
  type StatusWriter,
  type StatusWriterOptions,
  type StatusWriterStats,
} from "./statuses.ts";
export {
  type Applier,
  type ApplierOptions,
  type ApplierStats,
  createApplier,
  type Wanted,
} from "./apply.ts";
export {
  createEventRecorder,
  type EventRecorder,
  type EventRecorderOptions,
  type EventRecorderStats,
  type Regarding,
} from "./events.ts";
