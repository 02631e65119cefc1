export {
  createFileSource,
  type FileSource,
  type FileSourceOptions,
  formatProblem,
  type Loaded,
  loadFiles,
  loadText,
  type Place,
  type SourceProblem,
} from "./files/index.ts";
