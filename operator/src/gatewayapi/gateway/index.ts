export { addressOutcome } from "./addresses.ts";
export { type CertificateTables, createCertificates } from "./certificates.ts";
export { indexFrontendAuthorities } from "./frontend.ts";
export { createGatewayTls } from "./gateway-tls.ts";
export { createGateways, createOwnGateways } from "./gateways.ts";
export { createListeners, type TableFeatures } from "./listeners.ts";
export { createParameters } from "./parameters.ts";
export { createClusterUses, createListenerNeeds, createProxies } from "./proxies.ts";
