import assert from "node:assert/strict";
import { className } from "./emit-constructs.ts";

describe("className()", () => {
  const names = {
    HTTPRoute: "HttpRoute",
    GRPCRoute: "GrpcRoute",
    BackendTLSPolicy: "BackendTlsPolicy",
    ClusterTrustBundle: "ClusterTrustBundle",
    XBackendTrafficPolicy: "XBackendTrafficPolicy",
    TLSRoute: "TlsRoute",
    Gateway: "Gateway",
  };
  for (const [kind, name] of Object.entries(names))
    it(`makes ${name} of ${kind}`, () => assert.equal(className(kind), name));
});
