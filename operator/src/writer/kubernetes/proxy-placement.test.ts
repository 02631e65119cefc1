import assert from "node:assert/strict";
import type { Service } from "@gatewright/crd-types/core/v1";
import { placementOf } from "./proxy-placement.ts";

const place = (spec: Service["spec"], status: Service["status"] = {}) =>
  placementOf({ apiVersion: "v1", kind: "Service", metadata: {}, ...(spec && { spec }), status }, new Map());

describe("placementOf()", () => {
  it("has the addresses that a load balancer gave, IP and host name", () => {
    const ingress = [{ ip: "192.0.2.1" }, { hostname: "lb.example.com" }];
    assert.deepEqual(
      place({ type: "LoadBalancer", clusterIP: "198.51.100.1" }, { loadBalancer: { ingress } }).addresses,
      [
        { type: "IPAddress", value: "192.0.2.1" },
        { type: "Hostname", value: "lb.example.com" },
      ],
    );
    assert.deepEqual(place({ type: "LoadBalancer", clusterIP: "198.51.100.1" }).addresses, []);
  });

  it("has the addresses inside of the cluster for other types", () => {
    for (const type of ["ClusterIP", "NodePort"] as const)
      assert.deepEqual(
        place({ type, clusterIP: "198.51.100.1", clusterIPs: ["198.51.100.1", "2001:db8::1"] }).addresses,
        [
          { type: "IPAddress", value: "198.51.100.1" },
          { type: "IPAddress", value: "2001:db8::1" },
        ],
      );
    assert.deepEqual(place({ type: "ClusterIP", clusterIP: "None" }).addresses, []);
  });

  it("binds before there is an address, in the family of the Service", () => {
    assert.deepEqual(placementOf(undefined, new Map()).bind(80), { address: "0.0.0.0", port: 80 });
    assert.deepEqual(place({ ipFamilies: ["IPv6"] }).bind(443), { address: "::", port: 443 });
  });
});
