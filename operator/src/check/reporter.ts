import type { Path } from "@gatewright/crd-types/schema";
import { isStoredKind, type StoredKind } from "../store/index.ts";
import { parsePath, type WrittenObject } from "./documents.ts";
import type { Finding, Identity } from "./finding.ts";
import { type RuleId, ruleOfReason } from "./rules.ts";

/** What translation says of an object of the files. */
export type Told = {
  /** `HTTPRoute`, with its key. Of objects that are in no file nothing is told. */
  readonly kind: string;
  readonly key: string;
  readonly field: string;
  readonly rule: RuleId;
  readonly message: string;
  readonly severity?: "error" | "warning";
  readonly hint?: string;
};

export type Reporter = {
  readonly tell: (told: Told) => void;
  /** As `tell`, of what the reason and the message of a condition say. References to what is not in the files are not held to be wrong. */
  readonly tellReason: (told: Omit<Told, "rule"> & { readonly reason: string }) => void;
  readonly findings: readonly Finding[];
};

export type ReporterOptions = {
  readonly written: ReadonlyMap<string, WrittenObject & Identity>;
  /** The files are all that there is: what they refer to and do not have is missing. */
  readonly isComplete: boolean;
};

const missingHint = "a cluster may have it; with --complete this is an error";

export function createReporter({ written, isComplete }: ReporterOptions): Reporter {
  const findings: Finding[] = [];
  const namespaces = new Set([...written.values()].map(({ namespace }) => namespace));

  function tell({ kind, key, field, rule, message, severity = "error", hint }: Told): void {
    const object = written.get(`${kind} ${key}`);
    if (object === undefined) return;
    const { document, path, group, namespace, name } = object;
    const { line, column } = document.locate([...path, ...parsePath(field)]);
    const identity = { group, kind: object.kind, namespace, name };
    const at = { severity, file: document.file, line, column };
    findings.push({ ...at, ...identity, field, rule, message, ...(hint !== undefined && { hint }) });
  }

  function tellMissing(told: Omit<Told, "rule">): void {
    const severity = isComplete ? "error" : "warning";
    tell({ ...told, rule: "not-among-files", severity, ...(!isComplete && { hint: missingHint }) });
  }

  function tellReason({ reason, ...told }: Omit<Told, "rule"> & { readonly reason: string }): void {
    const missing = missingIn(told.message);
    // What is wrong with an object that is refused is told where it stands.
    if (missing !== undefined && written.has(`${missing.kind} ${missing.key}`)) return;
    if (missing !== undefined) return tellMissing(told);
    const ungranted = /^no ReferenceGrant in namespace (\S+) /.exec(told.message)?.[1];
    // A condition has one reason, that of the first thing it tells.
    const rule = ungranted === undefined ? ruleOfReason(reason) : "RefNotPermitted";
    if (ungranted === undefined || isComplete || namespaces.has(ungranted)) return tell({ ...told, rule });
    tell({
      ...told,
      rule,
      severity: "warning",
      hint: `the grant belongs into namespace ${ungranted}, of which nothing is in the files`,
    });
  }

  return { tell, tellReason, findings };
}

const missingObject = /(?:^|[ :])(?:[\w.-]+\/)?([A-Z]\w+) (\S+) does not exist/;

/** The object that is not there, where that is what a message says. */
export function missingIn(message: string): { readonly kind: StoredKind; readonly key: string } | undefined {
  const [, kind = "", key = ""] = missingObject.exec(message) ?? [];
  return isStoredKind(kind) ? { kind, key } : undefined;
}

/** `spec.rules[0].filters[1]: what is wrong`, taken apart. */
export function splitField(message: string): { readonly field: string; readonly message: string } {
  const [, field = "", rest] = /^((?:spec|metadata|data)(?:[.[][^\s:]*)?): (.*)$/s.exec(message) ?? [];
  return rest === undefined ? { field: "", message } : { field, message: rest };
}

/** Where below `base` a reference stands that a message names; `base` itself where there is none. */
export function referenceIn(object: unknown, base: string, message: string): string {
  const found = findReference(valueAt(object, parsePath(base)), message);
  return found === undefined ? base : base + found;
}

function findReference(value: unknown, message: string, path = ""): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const name: unknown = Reflect.get(value, "name");
  // Names that stand by themselves have no kind of reference beside them: a listener's, a port's.
  if (typeof name === "string" && name !== "" && path !== "" && isNamed(name, message)) return path;
  for (const [key, inner] of Object.entries(value)) {
    const found = findReference(inner, message, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

const isNamed = (name: string, message: string): boolean =>
  new RegExp(`(?:^|[\\s/])${name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?=[\\s:,;)]|$)`).test(message);

function valueAt(value: unknown, path: Path): unknown {
  let current = value;
  for (const segment of path) {
    if (typeof current !== "object" || current === null) return undefined;
    current = Reflect.get(current, segment);
  }
  return current;
}
