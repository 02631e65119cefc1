export { createGrants, type Grants, type GrantFrom, type GrantTo } from "./grants.ts";
export { refusalOf } from "./refusals.ts";
