export {
  createKubernetesSource,
  type KindState,
  type KubernetesSource,
  type KubernetesSourceOptions,
} from "./kubernetes-source.ts";
