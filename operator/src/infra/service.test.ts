import assert from "node:assert/strict";
import { type Proxy, type RequestedAddress, requestKey } from "../ir/index.ts";
import { addressServices, proxyServices } from "./service.ts";

const proxyOf = (addresses: Proxy["addresses"], more: Partial<Proxy> = {}): Proxy => ({
  namespace: "shop",
  name: "web",
  uid: "u1",
  generation: 1,
  className: "gatewright",
  ports: [{ port: 80, protocol: "TCP" }],
  labels: {},
  annotations: {},
  deployment: {},
  ...more,
  ...(addresses && { addresses }),
});

const usual: RequestedAddress = { type: "IPAddress", value: "", routability: "" };
const inner: RequestedAddress = { ...usual, routability: "Cluster" };
const requests: readonly RequestedAddress[] = [
  usual,
  { ...usual, value: "192.0.2.7" },
  { ...usual, type: "Hostname" },
  inner,
  { ...inner, value: "198.51.100.9" },
  { ...inner, value: "fd00::9" },
];

/** All lists of two and three of them, the same twice among those. */
const lists = requests.flatMap((first) =>
  requests.flatMap((second) => [[first, second], ...requests.map((third) => [first, second, third])]),
);
const types = [undefined, "LoadBalancer", "NodePort", "ClusterIP"] as const;
const shown = (proxy: Proxy) => proxyServices(proxy).map(({ name, spec }) => JSON.stringify([name, spec]));

describe("proxyServices()", () => {
  it("has one Service under the name of the rest, whatever is asked for", () => {
    for (const addresses of [undefined, [], ...lists])
      assert.equal(proxyServices(proxyOf(addresses))[0]?.name, "web-gatewright");
  });

  it("has the same Services whatever the order", () => {
    for (const addresses of lists)
      assert.deepEqual(
        shown(proxyOf(addresses.toReversed())).toSorted(),
        shown(proxyOf(addresses)).toSorted(),
        JSON.stringify(addresses),
      );
  });

  it("exposes nothing where all that is asked for is inside of the cluster, or is nothing that there is", () => {
    for (const type of types)
      for (const addresses of [[], ...lists.filter((list) => list.every(({ routability }) => routability !== ""))])
        for (const { spec } of proxyServices(proxyOf(addresses, { deployment: { service: type ? { type } : {} } })))
          assert.equal(spec.type, "ClusterIP");
  });

  it("leaves nothing of what it always has to a static address inside of the cluster", () => {
    for (const type of types)
      for (const addresses of lists) {
        const [own, ...further] = proxyServices(proxyOf(addresses, { deployment: { service: type ? { type } : {} } }));
        assert.equal(own?.spec.clusterIP, undefined);
        for (const { value } of addresses.filter(
          (request) => request.routability === "Cluster" && request.value !== "",
        ))
          assert.equal(further.filter(({ spec }) => spec.clusterIP === value).length, 1);
      }
  });

  it("gives names that the API takes, and others to other Gateways", () => {
    const owners = [
      { name: "web", className: "gatewright" },
      { name: "a".repeat(63), className: "gatewright" },
      { name: `${"a".repeat(62)}b`, className: "gatewright" },
      { name: "web.example.com", className: "a-class-with-dashes" },
      { name: "web", className: "gatewright-cluster-2" },
    ];
    const names = owners.flatMap((owner) =>
      proxyServices(proxyOf([...requests, inner], owner)).map(({ name }) => name),
    );
    assert.equal(new Set(names).size, names.length);
    for (const name of names) assert.match(name, /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/);
  });

  it("tells by its Service which address was asked for", () => {
    const services = addressServices(proxyOf([usual, inner, { ...inner, value: "fd00::9" }]));
    assert.deepEqual([...services], [["web-gatewright-cluster-fd00--9", requestKey({ ...inner, value: "fd00::9" })]]);
  });
});
