import assert from "node:assert/strict";
import type { ParentReference } from "@gatewright/crd-types/gateway/v1";
import { attachRoute } from "./attachment.ts";
import type { AttachPoint, AttachPoints } from "./attach-points.ts";
import { covers } from "./hostnames.ts";
import { httpRouteKind } from "./kinds.ts";

const httpRoutes = [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute" }];

const point = (name: string, options: Partial<AttachPoint> = {}): AttachPoint => ({
  name,
  port: 80,
  programmable: true,
  supportedKinds: httpRoutes,
  allowedNamespaces: { kind: "all" },
  routeTable: "infra/gw|80",
  rivals: new Set(),
  ...options,
});

const gateway = (...listeners: readonly AttachPoint[]): AttachPoints => ({
  title: "Gateway infra/gw",
  gateway: "infra/gw",
  proxy: "infra/gw",
  namespace: "infra",
  listeners: listeners.map((listener) => ({
    ...listener,
    rivals: new Set(
      listeners
        .flatMap(({ programmable, port, hostname = "*" }) =>
          programmable && port === listener.port && hostname !== (listener.hostname ?? "*") ? [hostname] : [],
        )
        .filter((hostname) => covers(listener.hostname ?? "*", hostname)),
    ),
  })),
});

function attach(
  on: AttachPoints,
  parentRefs: readonly ParentReference[],
  hostnames: readonly string[] = [],
  parent = "infra/gw",
) {
  return attachRoute(
    { namespace: "apps", parentRefs, hostnames },
    {
      kind: httpRouteKind,
      parent: (key) => (key === parent ? on : undefined),
      labels: (namespace) => ({ team: namespace }),
    },
  );
}

const toGateway: ParentReference = { name: "gw", namespace: "infra" };

describe("attachRoute()", () => {
  const refusals: readonly {
    readonly title: string;
    readonly on: AttachPoints;
    readonly ref?: Partial<ParentReference>;
    readonly hostnames?: readonly string[];
    readonly reason: string;
  }[] = [
    {
      title: "no listener of the name",
      on: gateway(point("a")),
      ref: { sectionName: "b" },
      reason: "NoMatchingParent",
    },
    { title: "no listener of the port", on: gateway(point("a")), ref: { port: 81 }, reason: "NoMatchingParent" },
    {
      title: "a name and a port of different listeners",
      on: gateway(point("a"), point("b", { port: 81 })),
      ref: { sectionName: "a", port: 81 },
      reason: "NoMatchingParent",
    },
    { title: "no listeners at all", on: gateway(), reason: "NoMatchingParent" },
    {
      title: "another kind of route",
      on: gateway(point("a", { supportedKinds: [{ group: "gateway.networking.k8s.io", kind: "TLSRoute" }] })),
      reason: "NotAllowedByListeners",
    },
    {
      title: "the kind's name in another group",
      on: gateway(point("a", { supportedKinds: [{ group: "example.com", kind: "HTTPRoute" }] })),
      reason: "NotAllowedByListeners",
    },
    {
      title: "another namespace",
      on: gateway(point("a", { allowedNamespaces: { kind: "same" } })),
      reason: "NotAllowedByListeners",
    },
    {
      title: "a namespace that is not selected",
      on: gateway(point("a", { allowedNamespaces: { kind: "selector", selector: { matchLabels: { team: "x" } } } })),
      reason: "NotAllowedByListeners",
    },
    {
      title: "no host in common",
      on: gateway(point("a", { hostname: "*.example.com" })),
      hostnames: ["example.com", "a.example.org"],
      reason: "NoMatchingListenerHostname",
    },
    {
      title: "a host in common only with a listener that does not allow it",
      on: gateway(
        point("a", { hostname: "a.example.com", allowedNamespaces: { kind: "same" } }),
        point("b", { hostname: "b.example.com" }),
      ),
      hostnames: ["a.example.com"],
      reason: "NoMatchingListenerHostname",
    },
  ];
  for (const { title, on, ref = {}, hostnames, reason } of refusals)
    it(`refuses ${title}: ${reason}`, () => {
      const [parent, ...others] = attach(on, [{ ...toGateway, ...ref }], hostnames);
      assert.equal(others.length, 0);
      assert.equal(parent?.accepted.status, "False");
      assert.equal(parent.accepted.reason, reason);
      assert.notEqual(parent.accepted.message, "");
      assert.deepEqual(parent.listeners, []);
    });

  const hosts: readonly {
    readonly title: string;
    readonly on: AttachPoints;
    readonly hostnames?: readonly string[];
    /** By listener: hosts and the hostnames from which they come. */
    readonly attached: Readonly<Record<string, Readonly<Record<string, string>>>>;
  }[] = [
    { title: "all hosts", on: gateway(point("a")), attached: { a: { "*": "*" } } },
    {
      title: "the listener's host where the route states none",
      on: gateway(point("a", { hostname: "*.example.com" })),
      attached: { a: { "*.example.com": "*" } },
    },
    {
      title: "the narrower of both, in lower case, each once",
      on: gateway(point("a", { hostname: "*.example.com" })),
      hostnames: ["*.com", "A.b.Example.com", "a.b.example.com", "other.org"],
      attached: { a: { "*.example.com": "*.com", "a.b.example.com": "a.b.example.com" } },
    },
    {
      title: "a host from the hostname that states it most closely",
      on: gateway(point("a", { hostname: "a.example.com" })),
      hostnames: ["*.com", "*.example.com"],
      attached: { a: { "a.example.com": "*.example.com" } },
    },
    {
      title: "no host that a more specific listener owns",
      on: gateway(
        point("any"),
        point("wild", { hostname: "*.example.com" }),
        point("one", { hostname: "a.example.com" }),
      ),
      hostnames: ["a.example.com", "b.example.com", "c.org"],
      attached: {
        any: { "c.org": "c.org" },
        wild: { "b.example.com": "b.example.com" },
        one: { "a.example.com": "a.example.com" },
      },
    },
    {
      title: "a host that only a broken listener would own more closely",
      on: gateway(point("any"), point("broken", { hostname: "a.example.com", programmable: false })),
      hostnames: ["a.example.com"],
      attached: { any: { "a.example.com": "a.example.com" }, broken: {} },
    },
    {
      title: "the same host on another port",
      on: gateway(point("any"), point("one", { hostname: "a.example.com", port: 81 })),
      hostnames: ["a.example.com"],
      attached: { any: { "a.example.com": "a.example.com" }, one: { "a.example.com": "a.example.com" } },
    },
  ];
  for (const { title, on, hostnames, attached } of hosts)
    it(`takes ${title}`, () => {
      const [parent] = attach(on, [toGateway], hostnames);
      assert.equal(parent?.accepted.status, "True");
      const found = parent.listeners.map(({ listener, hosts: served, statedHosts }) => [
        listener,
        Object.fromEntries(served.map((host, index) => [host, statedHosts[index]])),
      ]);
      assert.deepEqual(Object.fromEntries(found), attached);
    });

  it("takes a route on a listener that serves nothing, and gives it no hosts", () => {
    const [parent] = attach(gateway(point("a", { programmable: false })), [toGateway]);
    assert.equal(parent?.accepted.status, "True");
    assert.deepEqual(
      parent.listeners.map(({ hosts: served }) => served),
      [[]],
    );
  });

  it("says nothing of parents that are not Gateways of ours", () => {
    const parents = attach(gateway(point("a")), [
      { name: "other", namespace: "infra" },
      { name: "gw" },
      { name: "gw", namespace: "infra", kind: "Service", group: "" },
      { name: "gw", namespace: "infra", group: "example.com" },
    ]);
    assert.deepEqual(parents, []);
  });

  it("takes a reference written twice for one, and one by section for another", () => {
    const parents = attach(gateway(point("a"), point("b", { port: 81 })), [
      toGateway,
      { ...toGateway, group: "gateway.networking.k8s.io", kind: "Gateway" },
      { ...toGateway, sectionName: "a" },
      { ...toGateway, port: 81 },
    ]);
    assert.deepEqual(
      parents.map(({ listeners }) => listeners.map(({ listener }) => listener)),
      [["a", "b"], ["a"], ["b"]],
    );
  });

  it("takes a ListenerSet for a parent of its own, and its namespace for the routes of the same", () => {
    const set: AttachPoints = {
      ...gateway(point("a", { allowedNamespaces: { kind: "same" } })),
      title: "ListenerSet apps/set",
      namespace: "apps",
    };
    const toSet: ParentReference = { kind: "ListenerSet", name: "set" };
    const parents = attach(set, [toGateway, toSet, { ...toSet, sectionName: "b" }], [], "ListenerSet apps/set");
    assert.deepEqual(
      parents.map(({ parent, gateway: key, accepted: { status, reason, message }, listeners }) => [
        parent,
        key,
        `${status} ${reason} ${message}`,
        listeners.length,
      ]),
      [
        ["ListenerSet apps/set", "infra/gw", "True Accepted ", 1],
        [
          "ListenerSet apps/set",
          "infra/gw",
          "False NoMatchingParent ListenerSet apps/set has no listener named b; it has listener a (80)",
          0,
        ],
      ],
    );
  });

  it("does not take a ListenerSet that its Gateway does not take", () => {
    const closed: AttachPoints = { ...gateway(), closed: "it is not attached" };
    const [parent] = attach(closed, [{ kind: "ListenerSet", name: "set" }], [], "ListenerSet apps/set");
    assert.equal(parent?.accepted.reason, "NoMatchingParent");
    assert.equal(parent.accepted.message, "it is not attached");
  });

  it("tells parents as the API server would store them", () => {
    const [parent] = attach(gateway(point("a")), [toGateway]);
    assert.deepEqual(parent?.parentRef, { ...toGateway, group: "gateway.networking.k8s.io", kind: "Gateway" });
  });
});
