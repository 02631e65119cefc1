export { createAttachments } from "./attachments.ts";
export { anyHost, compareSpecificity, intersectHostnames, normalizeHostname, widerHostnames } from "./hostnames.ts";
export { type GroupKind, isHttp, kindsOfProtocol } from "./kinds.ts";
export { createAttachPoints } from "./attach-points.ts";
export { createListenerHosts } from "./listener-hosts.ts";
export { createServedHosts, type ServedHosts } from "./served-hosts.ts";
export {
  allowedNamespacesOf,
  type AllowedNamespaces,
  allowsNamespace,
  createNamespaceLabels,
  type Labels,
} from "./namespaces.ts";
