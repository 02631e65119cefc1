import { hash } from "node:crypto";
import { check } from "../../../operator/src/check/index.ts";
import type { ApiResponse } from "../../../operator/src/kubernetes/index.ts";
import type { Case } from "./corpus.ts";

/** `ok`, or which fields an object is refused for: sorted, each once. */
export type Verdict = string;

const rules = new Set(["metadata", "unknown-field", "schema", "cel", "builtin", "not-an-object", "unserved-version"]);

export function ourVerdict({ object }: Pick<Case, "object">): Verdict {
  const { findings } = check([{ name: "a.json", bytes: Buffer.from(JSON.stringify(object)) }], {
    channel: "experimental",
    isComplete: false,
    controllerName: "gatewright.dev/gateway-controller",
    gatewayClass: "gatewright",
    rootNamespace: "gatewright-system",
    nowMs: 0,
  });
  const errors = findings.filter(({ severity, rule }) => severity === "error" && rules.has(rule));
  // A server that does not know a field says nothing of the rest.
  const unknown = errors.filter(({ rule }) => rule === "unknown-field");
  return verdictOf(
    errors.length > 0,
    (unknown.length > 0 ? unknown : errors).map(({ field }) => field),
  );
}

export function theirVerdict({ status, body }: ApiResponse): Verdict {
  if (status >= 200 && status < 300) return "ok";
  const { message = "", details } = body as Failure;
  if (status !== 422 && status !== 400) throw new Error(`${status}: ${JSON.stringify(body).slice(0, 500)}`);
  // It ends when rules have cost too much, and says nothing of the others.
  if (message.includes("cost budget")) return "refused";
  const unknown = [...message.matchAll(/unknown field "([^"]*)"/g)].map(([, field = ""]) => field);
  const causes = (details?.causes ?? []).filter(
    ({ message: text = "" }) => !text.includes("some validation rules were not checked"),
  );
  return verdictOf(true, [...unknown, ...causes.flatMap(fieldsIn)]);
}

type Cause = { readonly field?: string; readonly message?: string };

/** Some causes have their field in the words alone. */
const fieldsIn = ({ field = "", message = "" }: Cause): readonly string[] =>
  field === "<nil>" ? (/ in (\S+)$|"([^"]+)" must validate/.exec(message)?.slice(1).filter(Boolean) ?? []) : [field];

type Failure = {
  readonly message?: string;
  readonly details?: { readonly causes?: readonly Cause[] };
};

const verdictOf = (isRefused: boolean, fields: readonly string[]): Verdict =>
  isRefused ? `refused ${[...new Set(fields)].toSorted().join(" ")}`.trim() : "ok";

/**
 * Whether two verdicts are one: the same outcome, and the same fields. A server that cannot read an object at all, or that stops since its rules
 * cost too much, names no field where we do. Of a Service it tells nothing more where addresses are wrong that it is to assign, and of load
 * balancers it knows more faults than we: there the outcome counts. And it puts a label on a Namespace before it looks at it.
 */
export function agree({ kind }: Case, ours: Verdict, theirs: Verdict): boolean {
  if (theirs === "refused" || kind === "Service") return (ours === "ok") === (theirs === "ok");
  return ours === (kind === "Namespace" ? theirs.replace(" metadata.labels metadata.name", " metadata.name") : theirs);
}

/** Bytes in a Secret or ConfigMap may be a list of numbers to Go; nobody writes them so, and it is taken for a mistake. */
export const isMeantToDiffer = ({ kind, object }: Case): boolean =>
  (kind === "Secret" || kind === "ConfigMap") &&
  Object.values({ ...fieldsOf(object["data"]), ...fieldsOf(object["binaryData"]) }).some(Array.isArray);

const fieldsOf = (value: unknown): object => (typeof value === "object" && value !== null ? value : {});

/** Tells whether a case is the one that was asked about. */
export const digestOf = ({ object }: Case): string => hash("sha1", JSON.stringify(object), "base64").slice(0, 6);
