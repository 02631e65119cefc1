import assert from "node:assert/strict";
import { createGraph } from "../../lib/index.ts";
import { createServedHosts } from "../attach/index.ts";
import type { ListenerGroup, ListenerView } from "../views.ts";
import { createOverlaps } from "./overlaps.ts";

type Stated = readonly [name: string, hostname: string, port?: number, protocol?: string];

const viewOf = ([name, hostname, port = 443, protocol = "HTTPS"]: Stated): ListenerView => ({
  name,
  id: name,
  port,
  protocol,
  ...(hostname !== "*" && { hostname }),
  programmable: true,
  accepted: true,
  certificates: [],
  supportedKinds: [],
  allowedNamespaces: { kind: "same" },
  conditions: [],
});

/** Overlaps by parent and name of the listener. */
function overlapsOf(parents: Readonly<Record<string, readonly Stated[]>>) {
  const graph = createGraph();
  const groups = graph.source<ListenerGroup>("groups");
  const overlaps = createOverlaps(groups, createServedHosts(graph, groups));
  const views = Object.entries(parents).map(([parent, stated]) => [parent, stated.map(viewOf)] as const);
  for (const [parent, listeners] of views)
    groups.set(parent, { gateway: "infra/gw", proxy: "infra/gw", namespace: "infra", ports: [], listeners });
  graph.settle();
  return Object.fromEntries(
    views.flatMap(([parent, listeners]) =>
      listeners.flatMap((listener) => {
        const found = overlaps("infra/gw", parent, listener);
        return found.length === 0 ? [] : [[`${parent} ${listener.name}`, found]];
      }),
    ),
  );
}

const gateway = "infra/gw";
const [setOne, setTwo] = ["ListenerSet apps/one", "ListenerSet apps/two"];

describe("createOverlaps()", () => {
  it("finds the example of the API's documentation", () => {
    const listeners: readonly Stated[] = [
      ["A", "foo.example.com"],
      ["B", "foo.example.org"],
      ["C", "*.example.com"],
    ];
    assert.deepEqual(overlapsOf({ [gateway]: listeners }), { "infra/gw A": ["C"], "infra/gw C": ["A"] });
  });

  it("takes no hostname for all of them", () => {
    const listeners: readonly Stated[] = [
      ["any", "*"],
      ["one", "a.io"],
    ];
    assert.deepEqual(overlapsOf({ [gateway]: listeners }), { "infra/gw any": ["one"], "infra/gw one": ["any"] });
  });

  it("looks at one port at a time, and at HTTPS alone", () => {
    const listeners: readonly Stated[] = [
      ["a", "*"],
      ["b", "*", 8443],
      ["c", "a.io", 443, "TLS"],
    ];
    assert.deepEqual(overlapsOf({ [gateway]: listeners }), {});
  });

  it("looks across ListenerSets, and does not tell one the names of another", () => {
    const found = overlapsOf({
      [gateway]: [["any", "*"]],
      [setOne]: [
        ["wild", "*.example.com"],
        ["deep", "*.a.example.com"],
      ],
      [setTwo]: [["one", "b.a.example.com"]],
    });
    assert.deepEqual(found, {
      "infra/gw any": ["3 of ListenerSets"],
      "ListenerSet apps/one wild": ["any of the Gateway", "deep", "1 of other ListenerSets"],
      "ListenerSet apps/one deep": ["any of the Gateway", "wild", "1 of other ListenerSets"],
      "ListenerSet apps/two one": ["any of the Gateway", "2 of other ListenerSets"],
    });
  });
});
