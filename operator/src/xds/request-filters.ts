import {
  type ExtensionConfig,
  type FilterChain,
  type Listener,
  type RequestFilter,
  requestFilterName,
  useKey,
} from "../ir/index.ts";
import type { Table } from "../lib/index.ts";
import { wholeConfig } from "./extension/index.ts";

type ExtensionFilter = Extract<RequestFilter, { kind: "extension" }>;

/** The HTTPFilters that listeners of a chain have. */
export const extensionsIn = ({ http }: FilterChain): readonly ExtensionFilter[] =>
  (http?.requestFilters ?? [])
    .flatMap(({ filters }) => filters)
    .filter((filter): filter is ExtensionFilter => filter.kind === "extension");

/** The resources for them, as `useKey(proxy, name)`. */
export const requestFiltersOf = ({ proxy, filterChains }: Listener): readonly string[] =>
  filterChains.flatMap((chain) => extensionsIn(chain).map((filter) => useKey(proxy, requestFilterName(filter))));

/** What such a resource holds; `users` are keys of the listeners that have it. */
export function requestFilterConfig(
  listeners: Table<Listener>,
  users: ReadonlySet<string> | undefined,
  name: string,
): ExtensionConfig | undefined {
  for (const key of users ?? [])
    for (const chain of listeners.get(key)?.filterChains ?? [])
      for (const filter of extensionsIn(chain))
        if (requestFilterName(filter) === name) return wholeConfig(filter.filter, filter.config);
  return undefined;
}
