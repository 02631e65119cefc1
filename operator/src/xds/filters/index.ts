export type { NeutralConfig } from "./chain.ts";
export { corsFilter, routerFilter } from "./names.ts";
export { buildHttpFilters } from "./order.ts";
