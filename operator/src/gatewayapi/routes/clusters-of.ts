import type { Route } from "../../ir/index.ts";

/** Names of the clusters that a route sends requests to. */
export const clusterNamesOf = ({ action }: Route): readonly string[] =>
  action.kind === "forward" ? [...action.backends, ...action.mirrors].map(({ cluster }) => cluster) : [];
