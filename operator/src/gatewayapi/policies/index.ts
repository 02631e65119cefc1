export { type BackendTls, type BackendTlsView, createBackendTls } from "./backend-tls.ts";
