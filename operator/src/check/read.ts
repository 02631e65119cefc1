import { groupOf, versionOf } from "@gatewright/crd-types";
import type { Path } from "@gatewright/crd-types/schema";
import {
  type CustomProblem,
  decode,
  guessObject,
  hintFor,
  maxFileBytes,
  type ObjectProblem,
  parseText,
  readCustom,
  readObjects,
  splitDocuments,
} from "../source/index.ts";
import { type Change, storedKindOf, storedKinds } from "../store/index.ts";
import { type Fields, fieldsOf, isFields, textOf } from "../lib/index.ts";
import { type Definition, readDefinition } from "./definitions.ts";
import { createDocument, type Document, parsePath, type WrittenObject } from "./documents.ts";
import { type Finding, type Identity, nobody } from "./finding.ts";
import type { RuleId } from "./rules.ts";
import type { KnownKind, Served } from "./served.ts";

/** What is to be checked: the bytes of a file or stream, or why there are none. */
export type Input = { readonly name: string } & ({ readonly bytes: Uint8Array } | { readonly message: string });

export type ReadObjects = {
  /** All that is an object, also where it is refused. */
  readonly objects: readonly (WrittenObject & Identity)[];
  /** The good ones of the kinds that are translated. */
  readonly changes: readonly Change[];
  /** By `kind key`, as translation names them; refused ones too. */
  readonly written: ReadonlyMap<string, WrittenObject & Identity>;
  readonly findings: readonly Finding[];
  /** How many objects are of kinds that nothing is known of. */
  readonly passedOver: number;
};

/** Of a file with more documents than these the rest is not read. */
const maxDocuments = 100_000;
/** After so many findings in a file its other documents are only counted: who has these has enough to do. */
const maxFindings = 1_000;

/** Reads everything and judges each object by itself, as the API server would. */
export function readInputs(inputs: readonly Input[], served: Served): ReadObjects {
  const reader = createReader(served);
  for (const input of inputs) reader.readFile(input);
  return reader.finish();
}

type Parsed = WrittenObject & Identity;

function createReader(served: Served) {
  const findings: Finding[] = [];
  const objects: Parsed[] = [];
  const definitions = new Map<string, Extract<Definition, { kind: "definition" }>>();
  const changes: Change[] = [];
  const written = new Map<string, Parsed>();
  const places = new Map<string, Parsed>();
  const counts = new Map<string, number>();
  let passedOver = 0;

  /** Whether there is still somebody who reads what is wrong with this file. */
  const isOpen = (file: string): boolean => (counts.get(file) ?? 0) < maxFindings;

  function report(finding: Finding): void {
    const count = (counts.get(finding.file) ?? 0) + 1;
    counts.set(finding.file, count);
    if (count <= maxFindings) findings.push(finding);
  }

  function readFile(input: Input): void {
    const { name: file } = input;
    const refuse = (rule: RuleId, message: string, line = 1) =>
      report({ ...nobody, severity: "error", file, line, column: 1, field: "", rule, message });
    if ("message" in input) return refuse("file", input.message);
    if (input.bytes.length > maxFileBytes)
      return refuse("file", `the file is larger than ${maxFileBytes / 1024 / 1024} MiB`);
    const text = decode(input.bytes);
    if (typeof text !== "string") return refuse("file", text.message, text.line);
    const parts = splitDocuments(text);
    for (const part of parts.slice(0, maxDocuments)) readDocument(file, part.text, part.linesBefore);
    if (parts.length > maxDocuments)
      refuse("file", `it has ${parts.length} documents: those after the first ${maxDocuments} are not read`);
  }

  function readDocument(file: string, text: string, linesBefore: number): void {
    const parsed = parseText(text, !isOpen(file));
    const document = createDocument(file, text, linesBefore);
    if (parsed.kind === "problem") {
      const { line = 1, column = 1, message } = parsed;
      const at = { file, line: linesBefore + line, column };
      report({ ...guessIdentity(text), severity: "error", ...at, field: "", rule: "yaml", message });
      return;
    }
    for (const { value, path } of objectsIn(parsed.value)) readOne(document, value, path);
  }

  function readOne(document: Document, value: unknown, path: Path): void {
    if (!isFields(value) || textOf(value["apiVersion"]) === "" || textOf(value["kind"]) === "") {
      // Says in which way it is none.
      for (const problem of readObjects(value, path).problems) reportAt(document, nobody, [], problem);
      return;
    }
    const object: Parsed = { document, path, value, ...identify(value) };
    objects.push(object);
    const definition = readDefinition(value);
    if (definition?.kind === "definition") definitions.set(`${definition.group}/${definition.of}`, definition);
    else if (definition !== undefined) {
      const { field, message } = definition;
      const problem = { severity: "error", rule: "crd", field, path: parsePath(field), message } as const;
      reportAt(document, object, path, problem);
    }
  }

  /** `base` is where the object stands in the document, for problems that have their path in the object. */
  function reportAt(document: Document, identity: Identity, base: Path, problem: Problem): void {
    const { severity, rule, field = "", path, message } = strictly(problem);
    const place = isOpen(document.file) ? document.locate([...base, ...path]) : { line: 1, column: 1, lineText: "" };
    const hint = /^ \((.*)\)$/s.exec(hintFor(message, place))?.[1];
    const { group, kind, namespace, name } = identity;
    report({
      severity,
      file: document.file,
      line: place.line,
      column: place.column,
      group,
      kind,
      namespace,
      name,
      field,
      rule,
      message: withoutField(message, field),
      ...(hint !== undefined && { hint }),
    });
  }

  function judge(object: Parsed): void {
    const { document, path, value, group, kind } = object;
    const apiVersion = textOf(value["apiVersion"]);
    const stored = storedKindOf(apiVersion, kind);
    if (stored !== undefined) return judgeStored(object);
    const other = definitions.get(`${group}/${kind}`) ?? served.otherKind(group, kind);
    if (other !== undefined) judgeCustom(object, other);
    const { problems } = readObjects(value, path, served);
    for (const problem of problems) reportAt(document, object, [], problem);
    if (other === undefined && problems.length === 0 && kind !== "CustomResourceDefinition") passedOver++;
  }

  function judgeStored(object: Parsed): void {
    const { document, path, value } = object;
    const { objects: read, problems } = readObjects(value, path, served);
    for (const problem of problems) reportAt(document, object, [], problem);
    const key = object.namespace === "" ? object.name : `${object.namespace}/${object.name}`;
    const name = `${object.kind} ${key}`;
    if (written.has(name)) return;
    written.set(name, object);
    for (const { kind, object: whole } of read) changes.push(...withGeneration(kind, key, whole));
  }

  function judgeCustom(object: Parsed, { versions }: KnownKind): void {
    const { document, path, value, kind } = object;
    const apiVersion = textOf(value["apiVersion"]);
    const custom = versions.get(versionOf(apiVersion));
    if (custom === undefined) {
      const others = versions.size === 0 ? "" : ` (there is ${[...versions.keys()].join(", ")})`;
      const message = `no matches for kind "${kind}" in version "${apiVersion}"${others}`;
      const problem = { severity: "error", rule: "unserved-version", field: "apiVersion", message } as const;
      return reportAt(document, object, path, { ...problem, path: ["apiVersion"] });
    }
    for (const problem of readCustom(value, custom)) reportAt(document, object, path, softened(problem));
  }

  function noteDuplicate(object: Parsed): void {
    const { document, path } = object;
    if (object.name === "") return;
    const name = [object.group, object.kind, object.namespace, object.name].join(" ");
    const first = places.get(name);
    if (first === undefined) return void places.set(name, object);
    const at = first.document.locate(first.path);
    const message = `this object is also in ${first.document.file}:${at.line}`;
    const problem = { severity: "error", rule: "duplicate-object", message } as const;
    reportAt(document, object, path, { ...problem, path: [] });
  }

  function finish(): ReadObjects {
    const all = objects.map((object) => placed(object, definitions));
    for (const object of all) {
      noteDuplicate(object);
      judge(object);
    }
    for (const [file, count] of counts) {
      if (count <= maxFindings) continue;
      const message = `… and ${count - maxFindings} more problems in this file`;
      findings.push({ ...nobody, severity: "error", file, line: 1, column: 1, field: "", rule: "file", message });
    }
    return { objects: all, changes, written, findings, passedOver };
  }

  return { readFile, finish };
}

/** The objects of a document: itself, or the items of a List. */
function* objectsIn(value: unknown, path: Path = []): Generator<{ readonly value: unknown; readonly path: Path }> {
  if (value === null || value === undefined) return;
  const isList = isFields(value) && textOf(value["apiVersion"]) !== "" && textOf(value["kind"]).endsWith("List");
  const items = isList ? value["items"] : undefined;
  if (!Array.isArray(items)) yield { value, path };
  else for (const [index, item] of items.entries()) yield* objectsIn(item, [...path, "items", index]);
}

function identify(value: Fields): Identity {
  const { namespace, name } = fieldsOf(value["metadata"]);
  const [apiVersion, kind] = [textOf(value["apiVersion"]), textOf(value["kind"])];
  return { group: groupOf(apiVersion), kind, namespace: textOf(namespace), name: textOf(name) };
}

/** Objects that state no namespace are put into `default`, where their kind has namespaces. */
function placed(object: Parsed, definitions: ReadonlyMap<string, Extract<Definition, { kind: "definition" }>>): Parsed {
  if (object.namespace !== "") return object;
  const stored = storedKindOf(textOf(object.value["apiVersion"]), object.kind);
  const [custom] = definitions.get(`${object.group}/${object.kind}`)?.versions.values() ?? [];
  const isNamespaced = stored === undefined ? custom?.isNamespaced === true : storedKinds[stored].namespaced;
  return isNamespaced ? { ...object, namespace: "default" } : object;
}

function guessIdentity(text: string): Identity {
  const [kind = "", key = ""] = (guessObject(text) ?? "").split(" ");
  const slash = key.indexOf("/");
  const apiVersion = /^apiVersion: *["']?([\w./-]+)/m.exec(text)?.[1] ?? "";
  return {
    group: groupOf(apiVersion),
    kind,
    namespace: slash === -1 ? "" : key.slice(0, slash),
    name: key.slice(slash + 1),
  };
}

type Problem = Omit<ObjectProblem | CustomProblem, "rule"> & { readonly rule: RuleId };

/** Where files are served, a field of metadata that nobody knows is no reason to leave an object out; kubectl refuses it. */
const strictly = (problem: Problem): Problem =>
  problem.rule === "metadata" && problem.severity === "warning" && problem.message.startsWith("unknown field ")
    ? { ...problem, severity: "error", rule: "unknown-field" }
    : problem;

/** The path stands in a field of its own. */
const withoutField = (message: string, field: string): string =>
  field !== "" && message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message;

/** Rules of strangers may use what only the API server has: nothing is known then, neither good nor bad. */
const softened = (problem: CustomProblem): CustomProblem | (Omit<CustomProblem, "rule"> & { readonly rule: RuleId }) =>
  problem.rule === "cel" &&
  / evaluating rule: /.test(problem.message) &&
  /unbound|overload|unknown/i.test(problem.message)
    ? { ...problem, severity: "warning", rule: "cel-not-judged" }
    : problem;

function withGeneration(kind: Change["kind"], key: string, object: NonNullable<Change["object"]>): readonly Change[] {
  const change = { kind, key, object: { ...object, metadata: { ...object.metadata, generation: 1 } } };
  return isChange(change) ? [change] : [];
}

type ChangeOfSome = { readonly kind: Change["kind"]; readonly key: string; readonly object: unknown };

/** Kind and object come from one reading: they belong together. */
const isChange = (change: ChangeOfSome): change is Change =>
  isFields(change.object) && change.object["kind"] === change.kind;
