import { type Findings, reportInvalidBare, reportRequired } from "./problem.ts";
import type { Schema } from "./schema.ts";
import { has, isObject } from "./types.ts";
import type { Validator } from "./validator.ts";

/** `x-kubernetes-embedded-resource`: a whole object inside another one must say what it is. */
export function compileEmbedded(schema: Schema): Validator | undefined {
  if (schema["x-kubernetes-embedded-resource"] !== true) return undefined;
  return (value, findings) => {
    if (!isObject(value)) return;
    for (const name of ["apiVersion", "kind"]) if (!has(value, name)) reportRequired(findings, name);
    member(findings, "apiVersion", value["apiVersion"], apiVersionFault);
    member(findings, "kind", value["kind"], kindFault);
    member(findings, "metadata", value["metadata"], metadataFault);
  };
}

function member(findings: Findings, name: string, value: unknown, faultOf: (value: unknown) => string | undefined) {
  const fault = value === undefined ? undefined : faultOf(value);
  if (fault === undefined) return;
  findings.path.push(name);
  reportInvalidBare(findings, value, fault);
  findings.path.pop();
}

function apiVersionFault(value: unknown): string | undefined {
  if (typeof value !== "string") return "must be a string";
  if (value === "") return "must not be empty";
  return value.split("/").length > 2 ? `unexpected GroupVersion string: ${value}` : undefined;
}

function kindFault(value: unknown): string | undefined {
  if (typeof value !== "string") return "must be a string";
  if (value === "") return "must not be empty";
  const isLabel = value.length <= 63 && /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/i.test(value);
  return isLabel ? undefined : "may have mixed case, but should otherwise match a DNS-1035 label";
}

function metadataFault(value: unknown): string | undefined {
  if (!isObject(value)) return "must be an object";
  for (const name of ["name", "generateName", "namespace"]) {
    const text = value[name];
    if (text !== undefined && typeof text !== "string") return `${name} must be a string`;
    if (typeof text === "string" && (/[/%]/.test(text) || text === "." || text === ".."))
      return `${name} may not be part of a path`;
  }
  for (const name of ["labels", "annotations"]) {
    const map = value[name];
    if (map === undefined || map === null) continue;
    if (!isObject(map) || Object.values(map).some((text) => typeof text !== "string"))
      return `${name} must be strings by string`;
  }
  return undefined;
}
