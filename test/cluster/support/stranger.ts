// A program that asks an operator for the configuration of a Gateway's Envoys, with whatever proof of identity it is given, and tells what
// came of it as one JSON object: all that it was sent, and how it was sent away.
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  DeltaDiscoveryRequestSchema,
  DeltaDiscoveryResponseSchema,
} from "@gatewright/crd-types/proto/envoy/service/discovery/v3/discovery_pb";
import { Client, credentials } from "@grpc/grpc-js";
import { methodPaths } from "../../../operator/src/ads/service.ts";

export type StrangerOptions = {
  /** `host:port` */
  readonly target: string;
  readonly serverName: string;
  /** Of the Gateway that it says it serves: `namespace/name`. */
  readonly cluster: string;
  /** PEM. None: it does not look who answers, and speaks without TLS where it has no certificate either. */
  readonly authority?: string;
  readonly certificate?: string;
  readonly privateKey?: string;
};

export type StrangerReport = {
  /** Names of what it was sent. */
  readonly resources: readonly string[];
  /** Undefined: it was heard until it went by itself. */
  readonly refusal?: string;
};

const types = [
  "envoy.config.listener.v3.Listener",
  "envoy.config.cluster.v3.Cluster",
  "envoy.extensions.transport_sockets.tls.v3.Secret",
];
/** Whoever is heard is answered at once. */
const patienceMs = 10_000;

function main({ target, serverName, cluster, authority, certificate, privateKey }: StrangerOptions): void {
  const pem = (text: string | undefined) => (text === undefined ? null : Buffer.from(text));
  const isPlain = authority === undefined && certificate === undefined;
  const client = new Client(
    target,
    isPlain ? credentials.createInsecure() : credentials.createSsl(pem(authority), pem(privateKey), pem(certificate)),
    { "grpc.ssl_target_name_override": serverName, "grpc.enable_retries": 0 },
  );
  const asIs = (bytes: Buffer): Buffer => bytes;
  const resources: string[] = [];
  const end = (refusal?: string) => {
    process.stdout.write(JSON.stringify({ resources, ...(refusal !== undefined && { refusal }) }));
    process.exit(0);
  };
  const call = client.makeBidiStreamRequest(methodPaths.delta, asIs, asIs);
  const answered = new Set<string>();
  call.on("data", (bytes: Buffer) => {
    const response = fromBinary(DeltaDiscoveryResponseSchema, bytes);
    resources.push(...response.resources.map(({ name }) => `${response.typeUrl.split(".").at(-1)} ${name}`));
    answered.add(response.typeUrl);
    if (answered.size >= 2) end();
  });
  call.on("error", (error) => end(error.message));
  call.on("end", () => end("it was ended"));
  for (const [index, type] of types.entries()) {
    const node = index === 0 ? { node: { id: "stranger", cluster } } : {};
    const request = create(DeltaDiscoveryRequestSchema, {
      ...node,
      typeUrl: `type.googleapis.com/${type}`,
      resourceNamesSubscribe: ["*"],
    });
    call.write(Buffer.from(toBinary(DeltaDiscoveryRequestSchema, request)));
  }
  setTimeout(() => end("nothing came"), patienceMs);
}

main(JSON.parse(process.argv[2] ?? "{}") as StrangerOptions);
