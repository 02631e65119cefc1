export { createAttachments } from "./attachments.ts";
export { anyHost, compareSpecificity, intersectHostnames, normalizeHostname } from "./hostnames.ts";
export { type GroupKind, isHttp, kindsOfProtocol } from "./kinds.ts";
export { createListenerHosts } from "./listener-hosts.ts";
