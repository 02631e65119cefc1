import type { Graph, Table } from "../lib/index.ts";
import type { Build, ResourceType, XdsProblem } from "./resource.ts";

/** The problems of all builds, each by a key of its own: `<type> <number> <key of the build>`. */
export function createProblems(
  graph: Graph,
  builds: { readonly [type in ResourceType]?: Table<Build> },
): Table<XdsProblem> {
  const tables = new Map(Object.entries(builds));
  const keysOf = [...tables].map(([type, table]) =>
    graph.index(`xds ${type} problems`, table, ({ problems }, key) =>
      problems.map((_, index) => `${type} ${index} ${key}`),
    ),
  );
  return graph.derive("xds problems", {
    keysOf,
    compute: (problemKey) => {
      const [type = "", index, ...key] = problemKey.split(" ");
      return tables.get(type)?.get(key.join(" "))?.problems[Number(index)];
    },
  });
}
