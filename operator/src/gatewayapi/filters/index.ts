export { createFilters } from "./filters.ts";
