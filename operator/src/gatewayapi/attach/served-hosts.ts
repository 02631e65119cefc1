import { UDPProtocolType } from "@gatewright/crd-types/gateway/v1";
import type { Graph, Table } from "../../lib/index.ts";
import type { ListenerGroup } from "../views.ts";
import { anyHost, widerHostnames } from "./hostnames.ts";

/** The hostnames of listeners that serve, whoever states them, by what lies within what: asked in steps of a host's labels, not of listeners. */
export type ServedHosts = {
  /** `parentKey`s of those who serve exactly this hostname on the port. */
  readonly at: (gateway: string, port: number, hostname: string) => ReadonlySet<string>;
  /** Hostnames within this one, itself not included, that are served on the port. */
  readonly within: (gateway: string, port: number, hostname: string) => ReadonlySet<string>;
  /** How many those are. */
  readonly countWithin: (gateway: string, port: number, hostname: string) => number;
};

const none: ReadonlySet<string> = new Set();

export function createServedHosts(graph: Graph, groups: Table<ListenerGroup>): ServedHosts {
  // UDP knows no hosts, and has ports of its own.
  const at = graph.index("servedHosts", groups, ({ gateway, listeners }) =>
    listeners
      .filter(({ programmable, protocol }) => programmable && protocol !== UDPProtocolType)
      .map(({ port, hostname = anyHost }) => hostKey(gateway, port, hostname)),
  );
  const within = graph.index("servedHostsWithin", at, (_, key) => {
    const { gateway, port, hostname } = parseHostKey(key);
    return widerHostnames(hostname).map((wider) => hostKey(gateway, port, wider));
  });
  return {
    at: (gateway, port, hostname) => at.get(hostKey(gateway, port, hostname)) ?? none,
    within: (gateway, port, hostname) =>
      new Set([...(within.get(hostKey(gateway, port, hostname)) ?? none)].map(hostnameIn)),
    countWithin: (gateway, port, hostname) => within.get(hostKey(gateway, port, hostname))?.size ?? 0,
  };
}

const hostKey = (gateway: string, port: number, hostname: string): string => `${gateway} ${port} ${hostname}`;

const hostnameIn = (key: string): string => key.slice(key.lastIndexOf(" ") + 1);

function parseHostKey(key: string): { readonly gateway: string; readonly port: number; readonly hostname: string } {
  const [gateway = "", port = "", hostname = ""] = key.split(" ");
  return { gateway, port: Number(port), hostname };
}
