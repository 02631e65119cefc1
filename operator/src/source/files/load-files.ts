import { silentLogger } from "../../lib/index.ts";
import type { Change } from "../../store/index.ts";
import { createCatalog } from "./catalog.ts";
import { type Place, readContent } from "./file-content.ts";
import { createFileSource } from "./file-source.ts";
import type { SourceProblem } from "./problem.ts";

export type Loaded = {
  readonly changes: readonly Change[];
  readonly problems: readonly SourceProblem[];
  /** Where an object stands, by kind and key. */
  readonly place: (kind: string, key: string) => Place | undefined;
};

/** Reads files and folders once. */
export async function loadFiles(paths: readonly string[]): Promise<Loaded> {
  const changes: Change[] = [];
  const source = createFileSource({
    paths,
    logger: silentLogger,
    watch: false,
    onChanges: (some) => changes.push(...some),
    onProblems: () => undefined,
  });
  await source.start();
  await source.close();
  return { changes, problems: source.problems(), place: source.place };
}

/** Reads a text that is not in a file, as standard input; problems name it `name`. */
export function loadText(name: string, bytes: Uint8Array): Loaded {
  const catalog = createCatalog();
  catalog.put(name, readContent(name, bytes));
  const changes = catalog.take();
  return { changes, problems: catalog.problems(), place: catalog.place };
}
