import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  DeltaDiscoveryRequestSchema,
  DeltaDiscoveryResponseSchema,
  DiscoveryRequestSchema,
  DiscoveryResponseSchema,
} from "@gatewright/crd-types/proto/envoy/service/discovery/v3/discovery_pb";
import { type ClientDuplexStream, Client, credentials, type StatusObject } from "@grpc/grpc-js";
import assert from "node:assert/strict";
import type { DeltaRequest, SotwRequest } from "../request.ts";
import { typeOfUrl } from "../resource-types.ts";
import { methodPaths } from "../service.ts";
import type { Protocol } from "../stream.ts";
import type { FakeEnvoy, WireResponse } from "./fake-envoy.ts";

export type Node = { readonly id: string; readonly cluster: string };

const asIs = (bytes: Buffer): Buffer => bytes;

/** A gRPC connection to a discovery server, in bytes. */
export class Wire {
  readonly #client: Client;
  readonly call: ClientDuplexStream<Buffer, Buffer>;
  readonly ended: Promise<StatusObject>;

  constructor(address: string, protocol: Protocol, onData: (bytes: Buffer) => void) {
    // As Envoy, which takes whatever it is sent.
    this.#client = new Client(address, credentials.createInsecure(), { "grpc.max_receive_message_length": -1 });
    this.call = this.#client.makeBidiStreamRequest(methodPaths[protocol], asIs, asIs);
    this.call.on("data", onData);
    this.call.on("error", () => undefined);
    this.ended = new Promise((done) => this.call.on("status", done));
  }

  /** Cancels the call and closes the connection. */
  close(): void {
    this.call.cancel();
    this.#client.close();
  }
}

/** Lets a fake Envoy talk to a server over gRPC. */
export function connectEnvoy(address: string, envoy: FakeEnvoy, node: Node): Wire {
  const wire = new Wire(address, envoy.protocol, (bytes) => envoy.receive(decodeResponse(envoy.protocol, bytes)));
  let first = true;
  envoy.connect((request) => {
    wire.call.write(encodeRequest(request, first ? node : undefined));
    first = false;
  });
  return wire;
}

export function encodeRequest(request: DeltaRequest | SotwRequest, node: Node | undefined): Buffer {
  const common = {
    ...(node === undefined ? {} : { node: { id: node.id, cluster: node.cluster } }),
    typeUrl: request.typeUrl,
    responseNonce: request.nonce,
    ...(request.error === undefined ? {} : { errorDetail: { code: 13, message: request.error } }),
  };
  if ("subscribe" in request)
    return Buffer.from(
      toBinary(
        DeltaDiscoveryRequestSchema,
        create(DeltaDiscoveryRequestSchema, {
          ...common,
          resourceNamesSubscribe: [...request.subscribe],
          resourceNamesUnsubscribe: [...request.unsubscribe],
          initialResourceVersions: Object.fromEntries(request.initialVersions),
        }),
      ),
    );
  const message = create(DiscoveryRequestSchema, { ...common, resourceNames: [...request.names] });
  return Buffer.from(toBinary(DiscoveryRequestSchema, message));
}

/** Decodes a response. That all type URLs fit is checked on the way. */
export function decodeResponse(protocol: Protocol, bytes: Uint8Array): WireResponse {
  if (protocol === "delta") {
    const { typeUrl, nonce, resources, removedResources } = fromBinary(DeltaDiscoveryResponseSchema, bytes);
    for (const { resource } of resources) assert.equal(resource?.typeUrl, typeUrl);
    return {
      type: typeOf(typeUrl),
      nonce,
      version: "",
      resources: resources.map(({ name, version, resource }) => ({
        name,
        version,
        body: resource?.value ?? Buffer.of(),
      })),
      removed: removedResources,
    };
  }
  const { typeUrl, nonce, versionInfo, resources } = fromBinary(DiscoveryResponseSchema, bytes);
  for (const resource of resources) assert.equal(resource.typeUrl, typeUrl);
  return {
    type: typeOf(typeUrl),
    nonce,
    version: versionInfo,
    resources: resources.map(({ value }) => ({ name: nameIn(value), version: "", body: value })),
    removed: [],
  };
}

/** In the state-of-the-world protocol the name of a resource is in its content. */
function nameIn(body: Uint8Array): string {
  const content: unknown = JSON.parse(Buffer.from(body).toString());
  assert.ok(typeof content === "object" && content !== null && "name" in content && typeof content.name === "string");
  return content.name;
}

function typeOf(typeUrl: string) {
  const type = typeOfUrl(typeUrl);
  assert.ok(type !== undefined, `${typeUrl} is no type of ours`);
  return type;
}
