export type { Call, CallHandlers, Peer } from "./call.ts";
export type { TlsCredentials, TlsMaterial } from "./credentials.ts";
export { frameMessage } from "./framing.ts";
export { createGrpcServer, type GrpcServer } from "./server.ts";
export { status } from "./status.ts";
