import type { handleBidiStreamingCall, ServiceDefinition } from "@grpc/grpc-js";

type Handlers = {
  readonly delta: handleBidiStreamingCall<Buffer, Buffer>;
  readonly sotw: handleBidiStreamingCall<Buffer, Buffer>;
};

const asIs = (bytes: Buffer): Buffer => bytes;

const method = (name: string) => ({
  path: `/envoy.service.discovery.v3.AggregatedDiscoveryService/${name}`,
  requestStream: true,
  responseStream: true,
  requestSerialize: asIs,
  requestDeserialize: asIs,
  responseSerialize: asIs,
  responseDeserialize: asIs,
});

/** The aggregated discovery service, in bytes: what is inside is encoded and decoded elsewhere. */
export const discoveryService = {
  delta: method("DeltaAggregatedResources"),
  sotw: method("StreamAggregatedResources"),
} satisfies ServiceDefinition<{ [Name in keyof Handlers]: Handlers[Name] }>;
