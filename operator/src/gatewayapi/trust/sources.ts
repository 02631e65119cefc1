import { X509Certificate } from "node:crypto";
import { parsePem, readTrustBundle, type Table } from "../../lib/index.ts";
import { objectKey, type Store, type StoredKind, storedKinds } from "../../store/index.ts";
import { formatKind, listed } from "../messages.ts";
import { secretText } from "./secret-text.ts";

/** A kind of object that may hold certificates of authorities. One more kind is one more of `rows`. */
export type Source = {
  readonly kind: StoredKind;
  readonly isNamespaced: boolean;
  /** What the object holds, whatever it is. */
  readonly read: (objects: Store["objects"], key: string) => Reading;
};

export type Reading =
  | { readonly kind: "certificates"; readonly certificates: readonly X509Certificate[]; readonly field: string }
  /** What is wrong with the object, after its name. */
  | { readonly kind: "unusable"; readonly message: string };

const field = "ca.crt";
const unusable = (message: string): Reading => ({ kind: "unusable", message });

/** Reads the one field of a kind that is made for anything: there may be other things beside certificates. */
function readField<V>(table: Table<V>, key: string, textOf: (object: V) => string | undefined): Reading {
  const object = table.get(key);
  if (object === undefined) return unusable("does not exist");
  const text = textOf(object);
  if (text === undefined) return unusable(`has no ${field}`);
  const certificates = readCertificates(text);
  return certificates === undefined
    ? unusable(`has no certificates in PEM in ${field}`)
    : { kind: "certificates", certificates, field };
}

/** Undefined: there is none, or one of them cannot be read. */
function readCertificates(text: string): readonly X509Certificate[] | undefined {
  const blocks = parsePem(text)?.filter(({ label }) => label === "CERTIFICATE") ?? [];
  try {
    return blocks.length === 0 ? undefined : blocks.map((block) => new X509Certificate(block.text));
  } catch {
    return undefined;
  }
}

/** Reads it as strictly as the API server does, which may have been asked by others than us, or not at all. */
function readBundle(objects: Store["objects"], key: string): Reading {
  const bundle = objects.ClusterTrustBundle.get(key);
  if (bundle === undefined) return unusable("does not exist");
  const reading = readTrustBundle(bundle.spec.trustBundle);
  return reading.kind === "certificates"
    ? { ...reading, field: "spec.trustBundle" }
    : unusable(`has a spec.trustBundle that cannot be used: ${listed(reading.problems, "; ")}`);
}

const rows = [
  { kind: "ConfigMap", read: (objects, key) => readField(objects.ConfigMap, key, ({ data }) => data?.[field]) },
  { kind: "Secret", read: (objects, key) => readField(objects.Secret, key, (secret) => secretText(secret, field)) },
  { kind: "ClusterTrustBundle", read: readBundle },
] as const satisfies readonly Pick<Source, "kind" | "read">[];

/** By `group/kind`, as `formatKind` writes it. */
export const sources: ReadonlyMap<string, Source> = new Map(
  rows.map(({ kind, read }) => {
    const { group, namespaced } = storedKinds[kind];
    return [formatKind({ group, kind }), { kind, isNamespaced: namespaced, read }];
  }),
);

/** The object's key in its table; where the kind has no namespaces, that of who refers to it means nothing. */
export const sourceKey = ({ isNamespaced }: Source, namespace: string, name: string): string =>
  isNamespaced ? objectKey(namespace, name) : name;
