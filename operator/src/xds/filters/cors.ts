import { CorsSchema } from "@gatewright/crd-types/proto/envoy/extensions/filters/http/cors/v3/cors_pb";
import { packAny } from "../proto/index.ts";
import type { ChainBuilder } from "./chain.ts";
import { corsFilter } from "./names.ts";

/** Does nothing on routes without a policy. */
export const corsEntry: ChainBuilder = ({ cors }) =>
  cors ? [{ name: corsFilter, configType: { case: "typedConfig", value: packAny(CorsSchema, {}) } }] : [];
