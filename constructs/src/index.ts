export * from "./generated/index.ts";
export { KubernetesObject, type ObjectProps } from "./kubernetes-object.ts";
