import { deepEqual } from "../../lib/index.ts";
import { type Change, isStoredKind, storedKinds } from "../../store/index.ts";
import { type FileContent, maxToldProblems, objectName, type Place } from "./file-content.ts";
import type { SourceProblem } from "./problem.ts";
import type { ReadObject } from "./read-object.ts";

/**
 * Which object counts, of all that the files hold.
 *
 * Of two with one name the first counts, by path and then by place; the other is told of. What cannot be read takes nothing away:
 * an object that became invalid stays as it was, and so does what a broken file held, until the file can be read.
 */
export type Catalog = {
  /** A file is there, with this content. */
  readonly put: (file: string, content: FileContent) => void;
  readonly remove: (file: string) => void;
  /** What follows from all that was told since the last call. */
  readonly take: () => readonly Change[];
  /** Whether an object that is the same as before stands elsewhere since this was asked last: what was said of it has another line now. */
  readonly hasMoved: () => boolean;
  readonly problems: () => readonly SourceProblem[];
  /** Where an object stands, by kind and key. */
  readonly place: (kind: string, key: string) => Place | undefined;
};

type Entry = { readonly object: ReadObject; readonly place: Place };
type File = {
  readonly content: FileContent;
  /** By object name; several where the file names one object twice. */
  readonly entries: ReadonlyMap<string, readonly Entry[]>;
};
type Standing = { readonly object: ReadObject; readonly place: Place; readonly change: Change };

export function createCatalog(): Catalog {
  const files = new Map<string, File>();
  /** Files in which an object is found, by object name. */
  const holders = new Map<string, Set<string>>();
  const standing = new Map<string, Standing>();
  const generations = new Map<string, number>();
  const touched = new Set<string>();
  let moved = false;
  const duplicates = new Map<string, SourceProblem>();
  /** Only of files that have some: most have none, and they are asked for after every change. */
  const fileProblems = new Map<string, readonly SourceProblem[]>();

  function put(file: string, content: FileContent): void {
    const before = files.get(file);
    const own = new Map<string, Entry[]>();
    // Objects that the file is known to mean, but in a form that cannot be taken.
    const invalid = new Set<string>();
    for (const { linesBefore, reading } of content.documents) {
      for (const { line, ...object } of reading.objects) {
        const name = objectName(object.kind, object.key);
        const entries = own.get(name) ?? [];
        entries.push({ object, place: { file, line: linesBefore + line } });
        own.set(name, entries);
      }
      for (const { object, severity } of reading.problems)
        if (severity === "error" && object !== undefined) invalid.add(withNamespace(object));
    }
    // What stood in this file and may only be missing because something in it cannot be read.
    for (const [name, entries] of before?.entries ?? []) {
      if (!own.has(name) && (content.isBroken || invalid.has(name))) own.set(name, [...entries]);
    }
    replace(file, before, { content, entries: own });
  }

  function replace(file: string, before: File | undefined, after: File | undefined): void {
    for (const [name, entries] of before?.entries ?? []) {
      const now = after?.entries.get(name);
      if (now === undefined) {
        const left = holders.get(name);
        left?.delete(file);
        if (left?.size === 0) holders.delete(name);
      } else if (
        now.length === entries.length &&
        now.every(
          ({ object, place }, i) => object.object === entries[i]?.object.object && place.line === entries[i].place.line,
        )
      )
        continue;
      touched.add(name);
    }
    for (const name of after?.entries.keys() ?? []) {
      if (before?.entries.has(name)) continue;
      const found = holders.get(name) ?? new Set();
      holders.set(name, found.add(file));
      touched.add(name);
    }
    if (after === undefined) files.delete(file);
    else files.set(file, after);
    const problems = after === undefined ? [] : problemsOf(file, after);
    if (problems.length === 0) fileProblems.delete(file);
    else fileProblems.set(file, problems);
  }

  function settle(name: string): Change | undefined {
    const candidates = [...(holders.get(name) ?? [])]
      .sort()
      .flatMap((file) => files.get(file)?.entries.get(name) ?? []);
    const [chosen, ...others] = candidates;
    noteDuplicates(name, chosen, others);
    const before = standing.get(name);
    if (chosen === undefined) {
      standing.delete(name);
      return before === undefined ? undefined : { ...before.change, object: undefined };
    }
    if (before?.object.object === chosen.object.object) {
      moved ||= before.place.line !== chosen.place.line || before.place.file !== chosen.place.file;
      standing.set(name, { ...before, place: chosen.place });
      return undefined;
    }
    const generation = generationOf(name, before, chosen.object);
    const change = withGeneration(chosen.object, generation);
    standing.set(name, { object: chosen.object, place: chosen.place, change });
    return before !== undefined && deepEqual(before.change.object, change.object) ? undefined : change;
  }

  /** Rises when anything but metadata changes, as the API server has it; also over a removal, so that no status is taken for another's. */
  function generationOf(name: string, before: Standing | undefined, { object }: ReadObject): number {
    const last = generations.get(name) ?? 0;
    const { metadata: _, ...content } = object;
    const { metadata: __, ...contentBefore } = before?.change.object ?? { metadata: {} };
    const generation = before !== undefined && deepEqual(content, contentBefore) ? last : last + 1;
    generations.set(name, generation);
    return generation;
  }

  function noteDuplicates(name: string, chosen: Entry | undefined, others: readonly Entry[]): void {
    duplicates.delete(name);
    const [other] = others;
    if (chosen === undefined || other === undefined) return;
    const { file, line } = chosen.place;
    duplicates.set(name, {
      severity: "error",
      ...other.place,
      object: name,
      message: `this object is also in ${file}:${line}, which counts${others.length > 1 ? ` (and in ${others.length - 1} more places)` : ""}`,
    });
  }

  return {
    put,
    remove: (file) => replace(file, files.get(file), undefined),
    take: () => {
      const changes = [...touched].flatMap((name) => settle(name) ?? []);
      touched.clear();
      return changes;
    },
    hasMoved: () => {
      const answer = moved;
      moved = false;
      return answer;
    },
    problems: () => [...[...fileProblems.values()].flat(), ...duplicates.values()],
    place: (kind, key) => standing.get(`${kind} ${key}`)?.place,
  };
}

function problemsOf(file: string, { content, entries }: File): readonly SourceProblem[] {
  const all = content.documents.flatMap(({ linesBefore, reading }) =>
    reading.problems.map((problem) => ({ linesBefore, problem })),
  );
  const told = all.slice(0, maxToldProblems).map(({ linesBefore, problem: { line, ...problem } }) => ({
    ...problem,
    file,
    line: linesBefore + line,
    message: explain(problem, entries),
  }));
  const others = all.slice(maxToldProblems);
  const severity = others.some(({ problem }) => problem.severity === "error") ? "error" : "warning";
  const rest: readonly SourceProblem[] =
    others.length === 0 ? [] : [{ severity, file, message: `… and ${others.length} more problems in this file` }];
  return [...content.problems, ...told, ...rest];
}

/** Says it where an earlier form of the object goes on to count. */
function explain({ object, severity, message }: Omit<SourceProblem, "file">, entries: File["entries"]): string {
  return severity === "error" && object !== undefined && entries.has(withNamespace(object))
    ? `${message} (its last good form stays in effect)`
    : message;
}

/** Problems name objects as their authors did; entries are known with their namespace. */
function withNamespace(name: string): string {
  const [kind = "", key = ""] = name.split(" ");
  const isNamespaced = !isStoredKind(kind) || storedKinds[kind].namespaced;
  return key.includes("/") || !isNamespaced ? name : `${kind} default/${key}`;
}

function withGeneration({ kind, key, object }: ReadObject, generation: number): Change {
  // Kind and object come from one reading: they belong together.
  return { kind, key, object: { ...object, metadata: { ...object.metadata, generation } } } as Change;
}
