import type { RouteAction } from "../../ir/index.ts";

/** Kinds of routes whose rules are about HTTP requests. */
export type HttpRouteKind = "HTTPRoute" | "GRPCRoute";

export type Unavailable = Extract<RouteAction, { kind: "respond" }>;

/**
 * What is answered where there is nobody to forward to. Envoy makes a gRPC status of an HTTP status: of 503 UNAVAILABLE, as
 * the API wants it. https://github.com/grpc/grpc/blob/master/doc/http-grpc-status-mapping.md
 */
export const unavailableTo = (kind: HttpRouteKind): Unavailable => ({
  kind: "respond",
  status: kind === "GRPCRoute" ? 503 : 500,
});
