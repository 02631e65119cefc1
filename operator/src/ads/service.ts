import type { Protocol } from "./stream.ts";

const service = "/envoy.service.discovery.v3.AggregatedDiscoveryService";

/** The methods of the aggregated discovery service, by how they speak. */
export const methodPaths: Readonly<Record<Protocol, string>> = {
  delta: `${service}/DeltaAggregatedResources`,
  sotw: `${service}/StreamAggregatedResources`,
};
