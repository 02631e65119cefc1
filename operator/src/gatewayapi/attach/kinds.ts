import { GroupName, HTTPProtocolType, HTTPSProtocolType } from "@gatewright/crd-types/gateway/v1";

/** A kind of route that listeners take. A new one is a row here, a table of attachments, and its translation. */
export type RouteKind = {
  readonly group: string;
  readonly kind: "HTTPRoute";
  /** Protocols of the listeners that take it. */
  readonly protocols: readonly string[];
};

export const httpRouteKind: RouteKind = {
  group: GroupName,
  kind: "HTTPRoute",
  protocols: [HTTPProtocolType, HTTPSProtocolType],
};

const routeKinds: readonly RouteKind[] = [httpRouteKind];

export type GroupKind = { readonly group: string; readonly kind: string };

/** What a listener of this protocol takes, where it does not say less. Empty for protocols that we do not serve. */
export const kindsOfProtocol = (protocol: string): readonly GroupKind[] =>
  routeKinds
    .filter(({ protocols }) => protocols.includes(protocol))
    .map(({ group, kind }): GroupKind => ({ group, kind }));
