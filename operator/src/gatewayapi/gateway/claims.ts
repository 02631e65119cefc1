import { ListenerReasonHostnameConflict, ListenerReasonProtocolConflict } from "@gatewright/crd-types/gateway/v1";
import { deepEqual, type Graph, type Table } from "../../lib/index.ts";
import { anyHost } from "../attach/index.ts";
import type { Problem } from "../conditions.ts";
import { listed } from "../messages.ts";
import { parseParentKey } from "../listener-parents.ts";
import { type Contender, findConflicts, socketOf, transportOf } from "./conflicts.ts";
import type { StatedListeners } from "./stated-listeners.ts";

/** By name, what is wrong with listeners of one parent beside those of others and of its own. */
export type ConflictsOf = (parent: string) => ReadonlyMap<string, Problem>;

/** Who comes first to a port, and what listens there. */
type SocketClaim = { readonly parent: string; readonly transports: readonly string[] };

/**
 * Settles what several parents claim of one Gateway. Who comes first in precedence has it, even if it cannot serve for the moment: a
 * certificate that is replaced must not hand a host to somebody else. What a parent says against itself is as `findConflicts` has it.
 * https://gateway-api.sigs.k8s.io/geps/gep-1713/#listener-precedence
 */
export function createClaims(graph: Graph, stated: Table<StatedListeners>): ConflictsOf {
  const socketKey = (gateway: string, contender: Contender) => `${gateway} ${socketOf(contender)}`;
  const hostKey = (gateway: string, contender: Contender) => `${socketKey(gateway, contender)} ${contender.hostname}`;
  const claimsOf = (keyOf: typeof socketKey) => (view: StatedListeners) =>
    claiming(view).map((listener) => keyOf(view.gateway, listener));
  const socketClaimants = graph.index("socketClaimants", stated, claimsOf(socketKey));
  const hostClaimants = graph.index("hostClaimants", stated, claimsOf(hostKey));

  const inOrder = (parents: ReadonlySet<string> | undefined) =>
    [...(parents ?? [])]
      .flatMap((parent) => {
        const view = stated.get(parent);
        return view === undefined ? [] : [{ parent, view }];
      })
      .toSorted((left, right) => (left.view.precedence < right.view.precedence ? -1 : 1));

  const sockets = graph.derive<SocketClaim>("claimedSockets", {
    keysOf: [socketClaimants],
    compute: (key) => {
      const [first] = inOrder(socketClaimants.get(key));
      if (first === undefined) return undefined;
      const here = claiming(first.view).filter((listener) => socketKey(first.view.gateway, listener) === key);
      const serving = here.filter(({ serves }) => serves);
      const transports = (serving.length === 0 ? here : serving).map(({ protocol }) => transportOf(protocol));
      return { parent: first.parent, transports: [...new Set(transports)].toSorted() };
    },
    equal: deepEqual,
  });

  /** Whether the protocol is that of the port, as far as others have a say in it. */
  const fitsSocket = (parent: string, gateway: string, listener: Contender): boolean => {
    const socket = sockets.get(socketKey(gateway, listener));
    return (
      socket === undefined ||
      socket.parent === parent ||
      socket.transports.every((transport) => transport === transportOf(listener.protocol))
    );
  };

  const hosts = graph.derive<string>("claimedHosts", {
    keysOf: [hostClaimants],
    compute: (key) =>
      inOrder(hostClaimants.get(key)).find(({ parent, view }) =>
        claiming(view).some(
          (listener) => hostKey(view.gateway, listener) === key && fitsSocket(parent, view.gateway, listener),
        ),
      )?.parent,
  });

  return (parent) => {
    const view = stated.get(parent);
    const conflicts = new Map<string, Problem>();
    if (view === undefined) return conflicts;
    const left = [];
    for (const listener of claiming(view)) {
      const socket = sockets.get(socketKey(view.gateway, listener));
      const owner = hosts.get(hostKey(view.gateway, listener));
      if (socket !== undefined && !fitsSocket(parent, view.gateway, listener))
        conflicts.set(listener.name, protocolConflict(listener, socket));
      else if (owner !== undefined && owner !== parent) conflicts.set(listener.name, hostnameConflict(listener, owner));
      else left.push(listener);
    }
    for (const [name, problem] of findConflicts(left.filter(({ serves }) => serves))) conflicts.set(name, problem);
    return conflicts;
  };
}

const claiming = ({ listeners }: StatedListeners) => listeners.filter(({ claims }) => claims);

/** A set may belong to strangers: nobody is told whose it is. */
const nameOf = (parent: string): string => {
  const { kind, key } = parseParentKey(parent);
  return kind === "Gateway" ? `Gateway ${key}` : "another ListenerSet that comes first";
};

const protocolConflict = ({ port }: Contender, { parent, transports }: SocketClaim): Problem => ({
  reason: ListenerReasonProtocolConflict,
  message: `port ${port} is taken for ${listed(transports)} by ${nameOf(parent)}`,
});

const hostnameConflict = ({ port, hostname }: Contender, owner: string): Problem => ({
  reason: ListenerReasonHostnameConflict,
  message: `port ${port} with ${hostname === anyHost ? "no hostname" : `hostname ${hostname}`} is taken by ${nameOf(owner)}`,
});
