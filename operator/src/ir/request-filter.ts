import type { ExtensionConfig } from "./route.ts";
import type { Origin } from "./origin.ts";

/** The filters of one listener: they work in this order on all of its requests, before a route is chosen. */
export type ListenerFilters = {
  /** The listener's host, as that of a virtual host. Undefined: any that no other listener of the chain has. */
  readonly hostname?: string;
  /** Empty for a listener without: it is here for its hosts, which may lie within those of another one. */
  readonly filters: readonly RequestFilter[];
};

export type RequestFilter =
  | {
      readonly kind: "extension";
      /** Envoy's filter name. */
      readonly filter: string;
      /** As for a route, and already checked. */
      readonly config: ExtensionConfig;
      /** The HTTPFilter. */
      readonly origin: Origin;
    }
  | ExternalAuth
  /** Whatever is asked is answered like this. */
  | { readonly kind: "respond"; readonly status: number };

/** A server is asked whether a request may go on, and with which headers. Where it does not answer, the request is answered 503. */
export type ExternalAuth = {
  readonly kind: "external-auth";
  readonly protocol: "http" | "grpc";
  readonly cluster: string;
  /** What a gRPC server is called. */
  readonly authority: string;
  /** For `http`: before the path of the request. Starts with `/`. */
  readonly pathPrefix?: string;
  /** In lower case. For `http`: sent besides those that always are. For `grpc`: sent, all where it is empty. */
  readonly requestHeaders: readonly string[];
  /** For `http`, in lower case: go on to the backend. All where it is empty. */
  readonly responseHeaders: readonly string[];
  /** The request's body is sent too; one that is larger is answered 413. Greater than 0. */
  readonly maxBodyBytes?: number;
};

const separator = "/";

/**
 * The name as a resource of an HTTPFilter's configuration for listeners; nothing that Envoy's own filters are called. One that becomes
 * another filter in Envoy is another resource: the entry that asks for it names the type.
 */
export const requestFilterName = ({
  filter,
  origin: { kind, namespace, name },
}: {
  readonly filter: string;
  readonly origin: Origin;
}): string => [kind, namespace, name, filter].join(separator);

/** The object whose configuration a resource of that name is; undefined: it is something else. */
export function originOfRequestFilter(resource: string): Origin | undefined {
  const [kind = "", namespace, name, filter] = resource.split(separator);
  return namespace === undefined || name === undefined || filter === undefined ? undefined : { kind, namespace, name };
}
