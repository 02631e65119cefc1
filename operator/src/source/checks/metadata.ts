import { type Schema, validate } from "@gatewright/crd-types/schema";
import { type Fields, fieldsOf, isFields } from "../../lib/index.ts";
import { type Fault, forbidden, invalid, required, tooLong } from "./fault.ts";
import { labelFaults, labelValueFaults, qualifiedNameFaults, subdomainFaults } from "./names.ts";

const text: Schema = { type: "string" };
const optionalText: Schema = { type: "string", nullable: true };
const texts: Schema = { type: "object", nullable: true, additionalProperties: text };
const time: Schema = { type: "string", format: "date-time", nullable: true };
const anyList: Schema = { type: "array", nullable: true };
const whole: Schema = { type: "integer", format: "int64", nullable: true };

/** https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/ */
const fields: Readonly<Record<string, Schema>> = {
  // Null is as good as nothing, and then it is missing.
  name: optionalText,
  generateName: optionalText,
  namespace: optionalText,
  selfLink: optionalText,
  uid: optionalText,
  resourceVersion: optionalText,
  generation: whole,
  creationTimestamp: time,
  deletionTimestamp: time,
  deletionGracePeriodSeconds: whole,
  labels: texts,
  annotations: texts,
  ownerReferences: anyList,
  finalizers: { type: "array", nullable: true, items: text },
  managedFields: anyList,
};
const metadataSchema: Schema = { type: "object", properties: { metadata: { type: "object", properties: fields } } };

const maxAnnotationBytes = 256 * 1024;

export type MetadataRules = {
  readonly isNamespaced: boolean;
  /** What a name may be; most kinds take DNS subdomains. */
  readonly nameFaults?: (name: string) => readonly string[];
};

/** What the API server asks of any object's metadata. */
export function metadataFaults(
  object: Fields,
  { isNamespaced, nameFaults = subdomainFaults }: MetadataRules,
): readonly Fault[] {
  const metadata = object["metadata"] ?? {};
  if (!isFields(metadata)) return [required(["metadata"])];
  const ofTypes = validate(metadataSchema, { metadata });
  if (ofTypes.length > 0) return ofTypes;
  const { name, generateName, namespace, labels, annotations } = metadata;
  return [
    ...nameProblems(name, generateName, nameFaults),
    ...namespaceProblems(namespace, isNamespaced),
    ...labelProblems(fieldsOf(labels)),
    ...annotationProblems(fieldsOf(annotations)),
    ...Object.keys(metadata)
      .filter((field) => !Object.hasOwn(fields, field))
      .map((field) => ({
        path: ["metadata", field],
        message: `unknown field "metadata.${field}": it has no effect`,
        isWarning: true,
      })),
  ];
}

function nameProblems(name: unknown, generateName: unknown, faultsOf: (name: string) => readonly string[]): Fault[] {
  const path = ["metadata", "name"];
  if (typeof name === "string" && name !== "") return faultsOf(name).map((fault) => invalid(path, name, fault));
  return typeof generateName === "string" && generateName !== ""
    ? [{ path, message: "metadata.generateName is of no use in files: give it a name" }]
    : [required(path, "name or generateName is required")];
}

function namespaceProblems(namespace: unknown, isNamespaced: boolean): Fault[] {
  const path = ["metadata", "namespace"];
  if (typeof namespace !== "string" || namespace === "") return [];
  if (!isNamespaced) return [forbidden(path, "not allowed on this type")];
  return labelFaults(namespace).map((fault) => invalid(path, namespace, fault));
}

export function labelProblems(labels: Fields, path: readonly string[] = ["metadata", "labels"]): Fault[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...qualifiedNameFaults(key).map((fault) => invalidKey([...path, key], path, key, fault)),
    ...labelValueFaults(String(value)).map((fault) => invalidKey([...path, key], path, value, fault)),
  ]);
}

function annotationProblems(annotations: Fields): Fault[] {
  const path = ["metadata", "annotations"];
  const entries = Object.entries(annotations);
  const size = entries.reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(value)),
    0,
  );
  return [
    ...entries.flatMap(([key]) =>
      qualifiedNameFaults(key.toLowerCase()).map((fault) => invalidKey([...path, key], path, key, fault)),
    ),
    ...(size > maxAnnotationBytes ? [tooLong(path, maxAnnotationBytes)] : []),
  ];
}

/** The API server names the map; the line is that of the key. */
const invalidKey = (at: readonly string[], map: readonly string[], value: unknown, fault: string): Fault => ({
  path: at,
  message: invalid(map, value, fault).message,
});
