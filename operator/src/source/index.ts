export {
  createFileSource,
  type FileSource,
  type FileSourceOptions,
  type Loaded,
  loadFiles,
  loadText,
  maxFileBytes,
  type Place,
  type SourceProblem,
} from "./files/index.ts";
export {
  createKubernetesSource,
  type KindState,
  type KubernetesSource,
  type KubernetesSourceOptions,
} from "./kubernetes/index.ts";
