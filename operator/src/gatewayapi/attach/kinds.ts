import {
  GroupName,
  HTTPProtocolType,
  HTTPSProtocolType,
  TCPProtocolType,
  TLSProtocolType,
  UDPProtocolType,
} from "@gatewright/crd-types/gateway/v1";
import type { RouteKindName } from "../route-objects.ts";

/** A kind of route that listeners take. A new one is a row here, a table of attachments, and its translation. */
export type RouteKind = {
  readonly group: string;
  readonly kind: RouteKindName;
  /** Protocols of the listeners that take it. */
  readonly protocols: readonly string[];
};

export const httpRouteKind: RouteKind = {
  group: GroupName,
  kind: "HTTPRoute",
  protocols: [HTTPProtocolType, HTTPSProtocolType],
};

export const routeKinds: Readonly<Record<RouteKindName, RouteKind>> = {
  HTTPRoute: httpRouteKind,
  GRPCRoute: { group: GroupName, kind: "GRPCRoute", protocols: [HTTPProtocolType, HTTPSProtocolType] },
  TLSRoute: { group: GroupName, kind: "TLSRoute", protocols: [TLSProtocolType] },
  TCPRoute: { group: GroupName, kind: "TCPRoute", protocols: [TCPProtocolType] },
  UDPRoute: { group: GroupName, kind: "UDPRoute", protocols: [UDPProtocolType] },
};

export type GroupKind = { readonly group: string; readonly kind: string };

/** What a listener of this protocol takes, where it does not say less. Empty for protocols that we do not serve. */
export const kindsOfProtocol = (protocol: string): readonly GroupKind[] =>
  Object.values(routeKinds)
    .filter(({ protocols }) => protocols.includes(protocol))
    .map(({ group, kind }): GroupKind => ({ group, kind }));

/** Whether a listener of this protocol looks into requests, and not at connections alone. */
export const isHttp = (protocol: string): boolean => protocol === HTTPProtocolType || protocol === HTTPSProtocolType;
