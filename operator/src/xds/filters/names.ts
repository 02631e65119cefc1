// Filters go by their canonical names: Envoy finds a route's configuration of a filter by the name of its chain entry.
export const corsFilter = "envoy.filters.http.cors";
export const routerFilter = "envoy.filters.http.router";
