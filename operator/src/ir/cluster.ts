import type { Origin } from "./origin.ts";

/** A backend as proxies see it. Named by identity and policy (`namespace/service|port|…`), never by the route that uses it, so routes share it. */
export type Cluster = {
  readonly name: string;
  readonly origin: Origin;
  readonly endpoints: /** By EDS; the resource in the `endpoints` table has the cluster's own name. */
    | { readonly kind: "eds" }
    /** There are none and never will be: nobody may be spoken to. */
    | { readonly kind: "none" }
    /** An ExternalName Service: resolved by Envoy. */
    | { readonly kind: "dns"; readonly hostname: string; readonly port: number };
  /** From the Service port's `appProtocol`. */
  readonly protocol: "http1" | "http2" | "websocket" | "tcp" | "udp";
  readonly connectTimeoutMs: number;
  /** Connections are TLS, and the backend proves who it is. */
  readonly tls?: UpstreamTls;
};

export type UpstreamTls = {
  /** Sent as SNI. */
  readonly serverName: string;
  readonly authorities:
    | { readonly kind: "system" }
    /** Never empty. */
    | { readonly kind: "bundle"; readonly pem: string };
  /** The proxy's own certificate, where the backend asks for one: a name in the `secrets` table. */
  readonly clientCertificate?: string;
  /** The backend's certificate must have one of these. Never empty. */
  readonly subjectAltNames: readonly { readonly kind: "dns" | "uri"; readonly value: string }[];
};

/** The addresses behind a cluster. Changes of these take a lane of their own, past the routes. */
export type Endpoints = {
  readonly cluster: string;
  /** Sorted by address and port. Draining ones are left out. */
  readonly addresses: readonly EndpointAddress[];
};

export type EndpointAddress = {
  readonly address: string;
  readonly port: number;
  readonly zone?: string;
  /** Its share beside the others; all have it or none has. */
  readonly weight?: number;
};
