import { RouterSchema } from "@gatewright/crd-types/proto/envoy/extensions/filters/http/router/v3/router_pb";
import { packAny } from "../proto/index.ts";
import type { ChainBuilder } from "./chain.ts";
import { routerFilter } from "./names.ts";

/** Without `x-envoy-…` headers, which tell clients and backends about the proxy what nobody asked for. */
export const routerEntry: ChainBuilder = () => [
  {
    name: routerFilter,
    configType: { case: "typedConfig", value: packAny(RouterSchema, { suppressEnvoyHeaders: true }) },
  },
];
