export { type BackendTls, type BackendTlsView, createBackendTls, indexPolicyAuthorities } from "./backend-tls.ts";
