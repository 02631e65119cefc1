import { fromBinary } from "@bufbuild/protobuf";
import {
  DeltaDiscoveryRequestSchema,
  DiscoveryRequestSchema,
} from "@gatewright/crd-types/proto/envoy/service/discovery/v3/discovery_pb";
import { messageOf } from "../lib/index.ts";
import type { DeltaRequest, SotwRequest } from "./request.ts";
import type { Protocol } from "./stream.ts";

/** Who a client says it is. Envoy says so in the first request of a stream. */
export type Node = { readonly id: string; readonly cluster: string };

export type Decoded =
  | { readonly kind: "request"; readonly request: DeltaRequest | SotwRequest; readonly node: Node | undefined }
  | { readonly kind: "malformed"; readonly message: string };

export function decodeRequest(protocol: Protocol, bytes: Uint8Array): Decoded {
  try {
    return protocol === "delta" ? decodeDelta(bytes) : decodeSotw(bytes);
  } catch (error) {
    const reason = messageOf(error);
    return { kind: "malformed", message: `the request cannot be decoded: ${reason}` };
  }
}

function decodeDelta(bytes: Uint8Array): Decoded {
  const message = fromBinary(DeltaDiscoveryRequestSchema, bytes);
  if (message.typeUrl === "") return withoutType;
  return {
    kind: "request",
    node: message.node,
    request: {
      typeUrl: message.typeUrl,
      subscribe: message.resourceNamesSubscribe,
      unsubscribe: message.resourceNamesUnsubscribe,
      initialVersions: new Map(Object.entries(message.initialResourceVersions)),
      nonce: message.responseNonce,
      error: message.errorDetail?.message,
    },
  };
}

function decodeSotw(bytes: Uint8Array): Decoded {
  const message = fromBinary(DiscoveryRequestSchema, bytes);
  if (message.typeUrl === "") return withoutType;
  return {
    kind: "request",
    node: message.node,
    request: {
      typeUrl: message.typeUrl,
      names: message.resourceNames,
      nonce: message.responseNonce,
      error: message.errorDetail?.message,
    },
  };
}

const withoutType: Decoded = { kind: "malformed", message: "the request names no type of resource" };
