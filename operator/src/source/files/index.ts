export { maxFileBytes, type Place } from "./file-content.ts";
export { createFileSource, type FileSource, type FileSourceOptions } from "./file-source.ts";
export { type Loaded, loadFiles, loadText } from "./load-files.ts";
export { type SourceProblem } from "./problem.ts";
