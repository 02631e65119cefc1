export { type Validation, validateMessage } from "./validate.ts";
export { formatPath, type Segment, type Violation } from "./violation.ts";
