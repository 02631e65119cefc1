import type { Graph, Table } from "../../lib/index.ts";
import { deepEqual } from "../../lib/index.ts";
import type { ClassView } from "../views.ts";

/** What a class lets an HTTPFilter in opaque form name; undefined: the safe default. */
export type AllowList = { readonly allowed: readonly string[] | undefined; readonly classes: readonly string[] };

const all = "all";

export type AllowLists = readonly [AllowList, ...AllowList[]];

/**
 * The different allow-lists of our classes. An HTTPFilter knows no class, and its status has one verdict: what it names must
 * be allowed by every class that may serve it.
 */
export function createAllowLists(graph: Graph, classes: Table<ClassView>): () => AllowLists {
  const inEffect = graph.index("classesInEffect", classes, (view) => (view.isInEffect ? [all] : []));
  const lists = graph.derive<AllowLists>("allowLists", {
    keysOf: [inEffect],
    compute: (key) => {
      const byContent = new Map<string, { allowed: readonly string[] | undefined; classes: string[] }>();
      for (const name of [...(inEffect.get(key) ?? [])].toSorted()) {
        const allowed = classes.get(name)?.mesh?.spec?.extensionFilters?.allowed;
        const content = JSON.stringify(allowed?.toSorted()) ?? "";
        const known = byContent.get(content);
        if (known === undefined) byContent.set(content, { allowed, classes: [name] });
        else known.classes.push(name);
      }
      const [first, ...others] = byContent.values();
      return first === undefined ? undefined : [first, ...others];
    },
    equal: deepEqual,
  });
  return () => lists.get(all) ?? [{ allowed: undefined, classes: [] }];
}
