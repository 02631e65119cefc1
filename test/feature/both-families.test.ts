// Listeners of Services with addresses of IPv6, on a real Envoy: both families are answered.
import assert from "node:assert/strict";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { get } from "node:http";
import { isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";
import { placementOf } from "../../operator/src/writer/kubernetes/proxy-placement.ts";
import { type ServedGateway, serveGateway, serviceAt } from "../support/served-gateway.ts";

const objects = `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: gw, namespace: infra}
spec:
  gatewayClassName: gatewright
  listeners:
  - {name: web, port: 80, protocol: HTTP}
  - {name: echo, port: 53, protocol: UDP}
---
apiVersion: gateway.networking.k8s.io/v1
kind: UDPRoute
metadata: {name: echo, namespace: infra}
spec:
  parentRefs: [{name: gw, sectionName: echo}]
  rules: [{backendRefs: [{name: echo, port: 80}]}]
`;

/** Where a Gateway binds whose Service is of these families. */
function bindingOf(ipFamilies: readonly ("IPv4" | "IPv6")[]) {
  const service = { apiVersion: "v1", kind: "Service", metadata: {}, spec: { type: "ClusterIP", ipFamilies } } as const;
  const place = {
    services: [service],
    nodeAddresses: new Map(),
    proxyNodes: new Set<string>(),
    reservedPorts: new Map(),
  };
  return placementOf(place).bind(80);
}

describe("addresses of both families, by effect", function () {
  this.timeout(60_000);
  const backend = createSocket("udp4");
  let gateway: ServedGateway;

  before(async function () {
    const hasIPv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => isIPv6(address)));
    if (!hasIPv6) this.skip();
    backend.on("message", (message, { address, port }) => backend.send(message, port, address));
    backend.bind(0, "127.0.0.1");
    await once(backend, "listening");
    const service = serviceAt("echo", backend.address().port, { protocol: "UDP" });
    gateway = await serveGateway([objects, service], [80, 53], bindingOf(["IPv4", "IPv6"]));
  });

  after(async () => {
    await gateway?.stop();
    backend.close();
  });

  for (const host of ["127.0.0.1", "::1"]) {
    it(`answers requests to ${host}`, async () => {
      const request = get({ host, port: gateway.portOf(80), timeout: 10_000 });
      const [response]: unknown[] = await once(request, "response");
      assert.ok(typeof response === "object" && response !== null && "statusCode" in response);
      assert.equal(response.statusCode, 404);
      request.destroy();
    });

    it(`answers datagrams to ${host}`, async () => {
      const socket: Socket = createSocket(isIPv6(host) ? "udp6" : "udp4");
      socket.send("hello", gateway.portOf(53), host);
      const [message]: unknown[] = await once(socket, "message", { signal: AbortSignal.timeout(10_000) });
      assert.equal(String(message), "hello");
      socket.close();
    });
  }
});
