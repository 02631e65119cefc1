import { RouterSchema } from "@gatewright/crd-types/proto/envoy/extensions/filters/http/router/v3/router_pb";
import { packAny } from "../proto/index.ts";
import type { ChainBuilder } from "./chain.ts";
import { routerFilter } from "./names.ts";

/** Its headers for backends stay: access logs take from one of them what path the client asked for. */
export const routerEntry: ChainBuilder = () => [
  { name: routerFilter, configType: { case: "typedConfig", value: packAny(RouterSchema, {}) } },
];
