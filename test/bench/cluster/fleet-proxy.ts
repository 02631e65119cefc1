// One client that behaves as an Envoy does, as far as a control plane can tell: it asks for what its configuration refers to, and
// answers to all that it is sent.
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type IncomingHttpHeaders } from "node:http2";
import { type ResourceType, resourceTypes } from "../../../operator/src/ads/index.ts";
import { readReferences, referencesOf } from "./fleet-references.ts";
import { decodeResponse, Deframer, encodeRequest, type WireResponse } from "./fleet-wire.ts";

export type FleetTarget = {
  readonly host: string;
  readonly port: number;
  /** PEM; without, there is no TLS. */
  readonly proof?: { readonly authority: string; readonly certificate: string; readonly privateKey: string };
  readonly serverName: string;
  readonly cluster: string;
};

/** How a proxy fares that is no good client. */
export type Manner =
  | "good"
  /** Takes no byte of what it is sent after it has asked. */
  | "reads nothing"
  | "reads slowly"
  | "never answers"
  | "refuses all";

export type Counts = { bytes: number; messages: number; resources: number; refused: number };

const typeUrls: Readonly<Record<ResourceType, string>> = {
  cluster: "type.googleapis.com/envoy.config.cluster.v3.Cluster",
  endpoint: "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment",
  secret: "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret",
  extension: "type.googleapis.com/envoy.config.core.v3.TypedExtensionConfig",
  listener: "type.googleapis.com/envoy.config.listener.v3.Listener",
  route: "type.googleapis.com/envoy.config.route.v3.RouteConfiguration",
  virtualHost: "type.googleapis.com/envoy.config.route.v3.VirtualHost",
};
const typeOf = new Map(resourceTypes.map((type) => [typeUrls[type], type]));
const path = "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources";

/** As Envoy 1.40 has it by default. */
const streamWindowBytes = 16 * 1024 * 1024;
/** Of a client that reads slowly: a kibibyte every second. */
const slowBytes = 1024;

export type FleetProxyOptions = {
  readonly id: string;
  readonly manner?: Manner;
  /** Whether it refuses a response; the words, or undefined. */
  readonly refuses?: (type: ResourceType, response: WireResponse) => string | undefined;
  readonly onAnswer?: (type: ResourceType, response: WireResponse, atMs: number) => void;
  readonly onEnd?: (reason: string) => void;
};

export class FleetProxy {
  readonly #options: FleetProxyOptions;
  readonly #held = new Map<ResourceType, Map<string, string>>(resourceTypes.map((type) => [type, new Map()]));
  #asked = new Map<ResourceType, Set<string>>();
  #session: ClientHttp2Session | undefined;
  #stream: ClientHttp2Stream | undefined;
  #reading: NodeJS.Timeout | undefined;
  #cluster = "";
  readonly counts = new Map<ResourceType, Counts>(
    resourceTypes.map((type) => [type, { bytes: 0, messages: 0, resources: 0, refused: 0 }]),
  );

  constructor(options: FleetProxyOptions) {
    this.#options = options;
  }

  /** Opens the stream and asks for all that there is; what it has from before, it says. */
  connect({ host, port, proof, serverName, cluster }: FleetTarget): void {
    this.#cluster = cluster;
    this.#asked = new Map();
    const session = connect(`${proof === undefined ? "http" : "https"}://${host}:${port}`, {
      ...(proof !== undefined && {
        ca: proof.authority,
        cert: proof.certificate,
        key: proof.privateKey,
        servername: serverName,
        minVersion: "TLSv1.3",
      }),
      settings: { initialWindowSize: streamWindowBytes, enablePush: false },
    });
    session.on("connect", () => session.setLocalWindowSize(streamWindowBytes));
    session.on("error", () => undefined);
    const stream = session.request({
      ":method": "POST",
      ":path": path,
      "content-type": "application/grpc",
      te: "trailers",
    });
    this.#session = session;
    this.#stream = stream;
    let status = "";
    const noteStatus = (headers: IncomingHttpHeaders) => {
      const [code, details] = [headers["grpc-status"], headers["grpc-message"]];
      if (typeof code === "string") status = `${code} ${typeof details === "string" ? details : ""}`;
    };
    stream.on("trailers", noteStatus);
    stream.on("response", noteStatus);
    stream.on("error", () => undefined);
    stream.on("close", () => this.#ended(status));
    this.#read(stream);
    this.#ask("cluster", []);
    if (this.#options.manner === "good" || this.#options.manner === undefined) {
      for (const type of resourceTypes)
        if (type !== "cluster" && this.held(type).size > 0) this.#ask(type, [...this.held(type).keys()]);
    }
  }

  close(): void {
    clearInterval(this.#reading);
    this.#session?.destroy();
    this.#session = undefined;
    this.#stream = undefined;
  }

  /** Versions by name. */
  held(type: ResourceType): Map<string, string> {
    const held = this.#held.get(type);
    if (held === undefined) throw new Error(`${type} is no type of ours`);
    return held;
  }

  get isConnected(): boolean {
    return this.#session !== undefined && !this.#session.destroyed;
  }

  /** Virtual hosts that it could route by. */
  hosts(): number {
    let hosts = this.held("virtualHost").size;
    for (const [name, version] of this.held("route")) hosts += referencesOf("route", name, version).hosts;
    return hosts;
  }

  /** What something that it has refers to and it has not. */
  missing(): string[] {
    const missing: string[] = [];
    for (const type of resourceTypes)
      for (const [name, version] of this.held(type))
        for (const [wanted, names] of referencesOf(type, name, version).names)
          for (const one of names) if (!this.held(wanted).has(one)) missing.push(`${type} ${name}: ${wanted} ${one}`);
    return missing;
  }

  #read(stream: ClientHttp2Stream): void {
    const { manner } = this.#options;
    if (manner === "reads nothing") return;
    const deframer = new Deframer();
    const take = (bytes: Buffer) => {
      for (const message of deframer.push(bytes)) this.#receive(message);
    };
    if (manner !== "reads slowly") {
      stream.on("data", take);
      return;
    }
    this.#reading = setInterval(() => {
      const bytes: unknown = stream.read(slowBytes) ?? stream.read();
      if (Buffer.isBuffer(bytes)) take(bytes);
    }, 1_000);
  }

  #receive(message: Buffer): void {
    const response = decodeResponse(message);
    const type = typeOf.get(response.typeUrl);
    if (type === undefined) throw new Error(`${response.typeUrl} is no type of ours`);
    const counts = this.counts.get(type);
    if (counts !== undefined) {
      counts.messages++;
      counts.bytes += message.length;
      counts.resources += response.resources.length;
    }
    const { manner, refuses, onAnswer } = this.#options;
    if (manner === "never answers") return;
    const error = manner === "refuses all" ? "it refuses all" : refuses?.(type, response);
    if (error !== undefined) {
      if (counts !== undefined) counts.refused++;
      this.#send({ typeUrl: response.typeUrl, nonce: response.nonce, error });
      return;
    }
    const held = this.held(type);
    const wanted = new Map<ResourceType, Set<string>>();
    for (const { name, version, body } of response.resources) {
      held.set(name, version);
      for (const [to, names] of readReferences(type, name, version, body).names)
        wanted.set(to, (wanted.get(to) ?? new Set()).union(names));
    }
    for (const name of response.removed) held.delete(name);
    // Endpoints are asked for before clusters are answered to: an Envoy answers when they are warm.
    for (const to of ["endpoint", "secret", "extension", "route"] as const)
      if (wanted.has(to)) this.#ask(to, [...(wanted.get(to) ?? [])]);
    this.#send({ typeUrl: response.typeUrl, nonce: response.nonce });
    if (type === "cluster") this.#ask("listener", []);
    if (type === "route") this.#ask("virtualHost", []);
    onAnswer?.(type, response, performance.timeOrigin + performance.now());
  }

  /** Asks for what was not asked for on this stream yet. No names: for all there are. */
  #ask(type: ResourceType, names: readonly string[]): void {
    const asked = this.#asked.get(type);
    const isWildcard = type === "cluster" || type === "listener" || type === "virtualHost";
    const news = isWildcard ? [] : names.filter((name) => asked?.has(name) !== true);
    if (asked !== undefined && (isWildcard || news.length === 0)) return;
    this.#asked.set(type, new Set([...(asked ?? []), ...news]));
    this.#send({
      typeUrl: typeUrls[type],
      subscribe: news,
      ...(asked === undefined && { initialVersions: Object.fromEntries(this.held(type)) }),
    });
  }

  #send(request: Parameters<typeof encodeRequest>[0]): void {
    const isFirst = request.typeUrl === typeUrls.cluster && request.nonce === undefined;
    const node = isFirst ? { node: { id: this.#options.id, cluster: this.#cluster } } : {};
    if (this.#stream?.destroyed === false) this.#stream.write(encodeRequest({ ...request, ...node }));
  }

  #ended(status: string): void {
    clearInterval(this.#reading);
    this.#session?.destroy();
    this.#options.onEnd?.(status);
  }
}
