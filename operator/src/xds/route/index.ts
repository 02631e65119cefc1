export { buildRouteTable } from "./table.ts";
export { buildVirtualHost } from "./virtual-host.ts";
