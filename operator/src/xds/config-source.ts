import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { ApiVersion, type ConfigSourceSchema } from "@gatewright/crd-types/proto/envoy/config/core/v3/config_source_pb";
import type { Init } from "./init.ts";

/**
 * Where a proxy asks for a resource that another one names: on its one ADS stream.
 *
 * It waits without a limit. We serve every resource that we name, so waiting ends when the operator answers; the default of
 * 15 seconds would put a cluster without endpoints or a listener without routes into service while the operator restarts.
 * https://github.com/istio/istio/issues/31818
 */
export function adsConfigSource(): Init<typeof ConfigSourceSchema> {
  return {
    resourceApiVersion: ApiVersion.V3,
    configSourceSpecifier: { case: "ads", value: {} },
    initialFetchTimeout: durationFromMs(0),
  };
}
