import { type Findings, reportUnknown } from "./problem.ts";
import type { Schema } from "./schema.ts";
import { isObject, type JsonObject } from "./types.ts";

const metaFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/**
 * Takes out what the schema does not know, as the API server does when it stores an object: the same value where all is
 * known, else a copy of the parts that changed. Each field taken out is reported.
 */
export type Pruner = (value: unknown, findings: Findings) => unknown;

export function compilePruner(schema: Schema | undefined, isRoot = false): Pruner {
  const keepsUnknown = schema?.["x-kubernetes-preserve-unknown-fields"] === true;
  const keepsMeta = isRoot || schema?.["x-kubernetes-embedded-resource"] === true;
  const members = new Map(
    Object.entries(schema?.properties ?? {}).map(([name, member]) => [name, compilePruner(member)]),
  );
  const additional = schema?.additionalProperties;
  const other =
    additional === undefined ? undefined : compilePruner(typeof additional === "object" ? additional : undefined);
  const item = itemPruner(schema, keepsUnknown);

  return (value, findings) => {
    if (Array.isArray(value)) return item === undefined ? value : pruneItems(value, item, findings);
    return isObject(value) ? pruneMembers(value, findings) : value;
  };

  function pruneMembers(object: JsonObject, findings: Findings): JsonObject {
    let copy: Record<string, unknown> | undefined;
    const depth = findings.path.length;
    for (const name of Object.keys(object)) {
      if (keepsMeta && metaFields.has(name)) continue;
      const prune = members.get(name) ?? other;
      if (prune === undefined) {
        if (keepsUnknown) continue;
        findings.path.length = depth;
        reportUnknown(findings, name);
        copy ??= { ...object };
        delete copy[name];
        continue;
      }
      findings.path[depth] = name;
      const before = object[name];
      const after = prune(before, findings);
      if (after === before) continue;
      copy ??= { ...object };
      copy[name] = after;
    }
    findings.path.length = depth;
    return copy ?? object;
  }
}

/** Inside a list of unknown content an object keeps nothing, unless unknown content is kept. */
function itemPruner(schema: Schema | undefined, keepsUnknown: boolean): Pruner | undefined {
  if (schema?.items === undefined) return keepsUnknown ? undefined : pruneUnknown;
  // What a list keeps, its items keep: so the API server walks on below a preserving schema.
  return compilePruner(keepsUnknown ? { ...schema.items, "x-kubernetes-preserve-unknown-fields": true } : schema.items);
}

function pruneUnknown(value: unknown, findings: Findings): unknown {
  if (Array.isArray(value)) return pruneItems(value, pruneUnknown, findings);
  if (!isObject(value)) return value;
  for (const name of Object.keys(value)) reportUnknown(findings, name);
  return {};
}

function pruneItems(list: readonly unknown[], prune: Pruner, findings: Findings): readonly unknown[] {
  let copy: unknown[] | undefined;
  const depth = findings.path.length;
  for (let index = 0; index < list.length; index++) {
    findings.path[depth] = index;
    const after = prune(list[index], findings);
    if (after === list[index]) continue;
    copy ??= [...list];
    copy[index] = after;
  }
  findings.path.length = depth;
  return copy ?? list;
}
