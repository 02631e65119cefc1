export { type Fault, faultAt } from "./fault.ts";
export { labelFaults, labelValueFaults, qualifiedNameFaults, subdomainFaults } from "./names.ts";
export { metadataFaults } from "./metadata.ts";
export { overlaySchemaOf } from "./overlay.ts";
export { completeBuiltin, metadataFaultsOf, objectFaults, schemaOf } from "./object.ts";
