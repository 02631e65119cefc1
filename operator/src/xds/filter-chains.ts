import type { FilterChain, Listener } from "../ir/index.ts";
import { deepEqual, type Graph, type Table } from "../lib/index.ts";
import { buildFilterChain, type ChainBuild, type ChainContext, type PlacedChain } from "./filter-chain.ts";

/**
 * All filter chains by themselves, by `chainKey`: a port may have a thousand of them, and an edit of one is not to build and check
 * the others anew.
 */
export function createFilterChains(graph: Graph, listeners: Table<Listener>, context: ChainContext): Table<ChainBuild> {
  const byName = graph.derive<ReadonlyMap<string, FilterChain>>("xds chains by name", {
    keysOf: [listeners],
    compute: (key) => new Map(listeners.get(key)?.filterChains.map((chain) => [chain.name, chain])),
  });
  const keys = graph.index("xds chain keys", byName, (chains, listener) =>
    [...chains.keys()].map((name) => chainKey(listener, name)),
  );
  const placed = graph.derive<PlacedChain>("xds chains", {
    keysOf: [keys],
    compute: (key) => {
      const { listener, name } = parseChainKey(key);
      const chain = byName.get(listener)?.get(name);
      const place = listeners.get(listener);
      if (chain === undefined || place === undefined) return undefined;
      return { chain, place: { name: place.name, ...(place.accessLog && { accessLog: place.accessLog }) } };
    },
    equal: deepEqual,
  });
  return graph.derive<ChainBuild>("xds chain builds", {
    keysOf: [placed],
    compute: (key) => {
      const chain = placed.get(key);
      return chain && buildFilterChain(chain, context);
    },
    equal: (left, right) =>
      left.encoded?.version === right.encoded?.version &&
      deepEqual(left.violations, right.violations) &&
      deepEqual(left.missing, right.missing),
  });
}

/** Keys of listeners have no blanks. */
export const chainKey = (listener: string, name: string): string => `${listener} ${name}`;

function parseChainKey(key: string): { readonly listener: string; readonly name: string } {
  const blank = key.indexOf(" ");
  return { listener: key.slice(0, blank), name: key.slice(blank + 1) };
}
