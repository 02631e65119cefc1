import assert from "node:assert/strict";
import { createGraph } from "../../lib/index.ts";
import { createClaims } from "./claims.ts";
import type { StatedListeners } from "./stated-listeners.ts";

type Stated = {
  readonly name: string;
  readonly port?: number;
  readonly protocol?: string;
  readonly hostname?: string;
} & {
  /** Without a usable certificate. */
  readonly waits?: true;
  readonly isRefused?: true;
};

function open(parents: Readonly<Record<string, readonly Stated[]>>) {
  const graph = createGraph();
  const stated = graph.source<StatedListeners>("stated");
  const conflictsOf = createClaims(graph, stated);
  const put = (parent: string, listeners: readonly Stated[] | undefined, precedence = parent) =>
    stated.set(
      parent,
      listeners && {
        gateway: "infra/gw",
        precedence: parent === gateway ? "0" : `1 ${precedence}`,
        listeners: listeners.map(({ port = 80, protocol = "HTTP", hostname = "*", waits, isRefused, ...rest }) => ({
          ...rest,
          port,
          protocol,
          hostname,
          supportedKinds: [],
          allowedNamespaces: { kind: "same" },
          certificates: [],
          filters: { requests: [] },
          warnings: [],
          claims: isRefused === undefined,
          serves: waits === undefined && isRefused === undefined,
        })),
      },
    );
  for (const [parent, listeners] of Object.entries(parents)) put(parent, listeners);
  graph.settle();
  return {
    put: (...change: Parameters<typeof put>) => {
      put(...change);
      graph.settle();
    },
    /** Reasons by parent and name. */
    conflicts: () =>
      Object.fromEntries(
        [...stated.keys()].flatMap((parent) =>
          [...conflictsOf(parent)].map(([name, { reason }]) => [`${parent} ${name}`, reason]),
        ),
      ),
  };
}

const gateway = "infra/gw";
const [first, second, third] = ["ListenerSet a/1", "ListenerSet a/2", "ListenerSet a/3"];

describe("createClaims()", () => {
  it("gives a host to who comes first, and to the next when that one goes", () => {
    const { conflicts, put } = open({
      [third]: [{ name: "x" }],
      [second]: [{ name: "x" }],
      [gateway]: [{ name: "x" }],
      [first]: [{ name: "x" }],
    });
    const lost = "HostnameConflict";
    assert.deepEqual(conflicts(), { [`${third} x`]: lost, [`${second} x`]: lost, [`${first} x`]: lost });
    put(gateway, [{ name: "x", port: 81 }]);
    assert.deepEqual(conflicts(), { [`${third} x`]: lost, [`${second} x`]: lost });
    put(first, undefined);
    assert.deepEqual(conflicts(), { [`${third} x`]: lost });
    put(third, [{ name: "x" }], "ListenerSet a/0");
    assert.deepEqual(conflicts(), { [`${second} x`]: lost });
  });

  it("gives a port to the protocol of who comes first; who loses it for that loses no host to others", () => {
    const { conflicts } = open({
      [gateway]: [{ name: "any" }],
      [first]: [{ name: "tcp", protocol: "TCP" }],
      [second]: [{ name: "host", hostname: "a.io" }],
      [third]: [{ name: "tcp", protocol: "TCP" }],
    });
    assert.deepEqual(conflicts(), { [`${first} tcp`]: "ProtocolConflict", [`${third} tcp`]: "ProtocolConflict" });
  });

  it("takes TLS and HTTPS for one protocol, and UDP for ports of its own", () => {
    const { conflicts } = open({
      [gateway]: [{ name: "https", protocol: "HTTPS" }],
      [first]: [
        { name: "tls", protocol: "TLS", hostname: "a.io" },
        { name: "udp", protocol: "UDP" },
      ],
    });
    assert.deepEqual(conflicts(), {});
  });

  it("keeps a host for who waits for a certificate, and not for who is refused", () => {
    const { conflicts } = open({
      [gateway]: [
        { name: "waiting", protocol: "HTTPS", hostname: "a.io", waits: true },
        { name: "refused", protocol: "HTTPS", hostname: "b.io", isRefused: true },
      ],
      [first]: [
        { name: "a", protocol: "HTTPS", hostname: "a.io" },
        { name: "b", protocol: "HTTPS", hostname: "b.io" },
      ],
    });
    assert.deepEqual(conflicts(), { [`${first} a`]: "HostnameConflict" });
  });

  it("lets the listener that serves say what its port is for, before one beside it that waits", () => {
    const { conflicts } = open({
      [gateway]: [{ name: "serves" }, { name: "waits", protocol: "HTTPS", hostname: "a.io", waits: true }],
      [first]: [{ name: "host", hostname: "b.io" }],
    });
    assert.deepEqual(conflicts(), {});
  });

  it("lets nobody have what two of one parent want", () => {
    const { conflicts } = open({
      [first]: [{ name: "a" }, { name: "b" }],
      [second]: [{ name: "a" }],
    });
    assert.deepEqual(conflicts(), {
      [`${first} a`]: "HostnameConflict",
      [`${first} b`]: "HostnameConflict",
      [`${second} a`]: "HostnameConflict",
    });
  });
});
