export { type BootstrapNeeds, bootstrapNeeds, proxyFolders, reservedPorts } from "./bootstrap-needs.ts";
export { type DesiredObject, desiredInfra, infraKinds, type InfraSettings } from "./desired-infra.ts";
export { infraName } from "./names.ts";
export { addressServices } from "./service.ts";
