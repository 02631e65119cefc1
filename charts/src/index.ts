export { type Channel, channels, Crds } from "./crds.ts";
export { UserRoles } from "./user-roles.ts";
