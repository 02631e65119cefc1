import assert from "node:assert/strict";
import type { Service } from "@gatewright/crd-types/core/v1";
import { placementOf, type ProxyPlace } from "./proxy-placement.ts";

const service = (spec: Service["spec"], status: Service["status"] = {}): Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: {},
  ...(spec && { spec }),
  status,
});
const place = (services: readonly Service[], around: Partial<ProxyPlace> = {}) =>
  placementOf({ services, nodeAddresses: new Map(), proxyNodes: new Set(), reservedPorts: new Map(), ...around });
const cluster = (value: string) => ({ type: "IPAddress", value, routability: "Cluster" }) as const;

describe("placementOf()", () => {
  it("has the addresses that load balancers gave, IP and host name, each once, and further those inside of the cluster", () => {
    const ingress = [{ ip: "192.0.2.1" }, { ip: "2001:db8::7" }, { hostname: "lb.example.com" }];
    const placement = place([
      service({ type: "LoadBalancer", clusterIP: "198.51.100.1" }, { loadBalancer: { ingress } }),
      service(
        { type: "LoadBalancer", clusterIP: "198.51.100.2" },
        { loadBalancer: { ingress: [{ ip: "192.0.2.1" }] } },
      ),
      service({ type: "ClusterIP", clusterIP: "198.51.100.3" }),
    ]);
    assert.deepEqual(placement.addresses, [
      { type: "IPAddress", value: "192.0.2.1" },
      { type: "IPAddress", value: "2001:db8::7" },
      { type: "Hostname", value: "lb.example.com" },
    ]);
    // First of what is there for that.
    assert.deepEqual(placement.furtherAddresses, ["198.51.100.3", "198.51.100.1", "198.51.100.2"].map(cluster));
    const waiting = place([service({ type: "LoadBalancer", clusterIP: "198.51.100.1" })]);
    assert.deepEqual(waiting.addresses, []);
  });

  it("has the addresses inside of the cluster, of both families, where there are no others", () => {
    const clusterIPs = ["198.51.100.1", "2001:db8::1"];
    const placement = place([service({ type: "ClusterIP", clusterIP: "198.51.100.1", clusterIPs })]);
    assert.deepEqual(placement.addresses, clusterIPs.map(cluster));
    assert.equal(placement.furtherAddresses, undefined);
    assert.deepEqual(place([service({ type: "ClusterIP", clusterIP: "None" })]).addresses, []);
  });

  describe("of a Service that opens a port on each node", () => {
    const nodeAddresses = new Map([
      ["a", ["192.0.2.1", "2001:db8::1"]],
      ["b", ["192.0.2.2", "2001:db8::2"]],
    ]);
    const values = (spec: Service["spec"]) =>
      place([service({ type: "NodePort", clusterIP: "198.51.100.1", ...spec })], {
        nodeAddresses,
        proxyNodes: new Set(["b"]),
      }).addresses.map(({ value }) => value);

    it("has those of nodes, of the families of the Service", () => {
      assert.deepEqual(values({ ipFamilies: ["IPv4"] }), ["192.0.2.1", "192.0.2.2"]);
      assert.deepEqual(values({ ipFamilies: ["IPv6"] }), ["2001:db8::1", "2001:db8::2"]);
      assert.equal(values({ ipFamilies: ["IPv4", "IPv6"] }).length, 4);
    });

    it("has only those of nodes with a proxy where others do not answer", () =>
      assert.deepEqual(values({ externalTrafficPolicy: "Local" }), ["192.0.2.2"]));

    it("has the one inside of the cluster beside", () => {
      const { furtherAddresses } = place([service({ type: "NodePort", clusterIP: "198.51.100.1" })], { nodeAddresses });
      assert.deepEqual(furtherAddresses, [cluster("198.51.100.1")]);
    });
  });

  it("binds before there is an address, and for both families where a Service has IPv6", () => {
    assert.deepEqual(place([]).bind(80), { address: "0.0.0.0", port: 80 });
    assert.deepEqual(place([service({ ipFamilies: ["IPv4"] })]).bind(80), { address: "0.0.0.0", port: 80 });
    for (const ipFamilies of [["IPv6"], ["IPv4", "IPv6"]] as const)
      assert.deepEqual(place([service({ ipFamilies })]).bind(443), { address: "::", port: 443, ipv4Compat: true });
  });
});
