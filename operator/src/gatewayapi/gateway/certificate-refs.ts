import {
  GroupName,
  ListenerReasonInvalidCertificateRef,
  ListenerReasonRefNotPermitted,
  type SecretObjectReference,
} from "@gatewright/crd-types/gateway/v1";
import { objectKey } from "../../store/index.ts";
import type { Problem } from "../conditions.ts";
import { formatKind, listed } from "../messages.ts";
import type { Grants } from "../refs/index.ts";
import type { CertificateTables } from "./certificates.ts";

export type ListenerCertificates = {
  /** Names of the usable ones, in the listener's order, each once. */
  readonly names: readonly string[];
  /** Set as soon as one reference is bad, though others serve. */
  readonly problem?: Problem;
  /** What is wrong and does not keep a certificate from being served. */
  readonly warnings: readonly string[];
};

const coreGroup = "";
const secretKind = "Secret";

/** Group and kind that a reference names: a Secret unless it says otherwise. */
const isSecret = ({ group = coreGroup, kind = secretKind }: SecretObjectReference): boolean =>
  group === coreGroup && kind === secretKind;

const keyOfRef = (ownNamespace: string, { namespace = ownNamespace, name }: SecretObjectReference): string =>
  objectKey(namespace, name);

/** The Secrets that references of a Gateway or ListenerSet name, permitted or not. */
export const secretsOf = (ownNamespace: string, refs: readonly SecretObjectReference[]): readonly string[] =>
  refs.filter(isSecret).map((ref) => keyOfRef(ownNamespace, ref));

/** Follows the references of one listener. What is good is served, whatever its neighbour is. */
export function resolveCertificates(
  owner: { readonly kind: "Gateway" | "ListenerSet"; readonly namespace: string },
  refs: readonly SecretObjectReference[],
  grants: Grants,
  { certificates, ages }: CertificateTables,
): ListenerCertificates {
  const names = new Set<string>();
  const problems: Problem[] = [];
  const warnings: string[] = [];
  const invalid = (message: string) => problems.push({ reason: ListenerReasonInvalidCertificateRef, message });

  if (refs.length === 0) invalid("the listener has no certificateRefs");
  for (const ref of refs) {
    const { group = coreGroup, kind = secretKind, namespace = owner.namespace, name } = ref;
    const key = keyOfRef(owner.namespace, ref);
    if (!isSecret(ref)) {
      invalid(`${formatKind({ group, kind })} ${key} is not a Secret of the core group`);
      continue;
    }
    // Before all else: whether it exists is none of a stranger's business.
    const from = { group: GroupName, kind: owner.kind, namespace: owner.namespace };
    if (!grants.permits(from, { group, kind, namespace, name })) {
      const message = `no ReferenceGrant in namespace ${namespace} lets ${owner.kind}s of ${owner.namespace} take Secret ${name}`;
      problems.push({ reason: ListenerReasonRefNotPermitted, message });
      continue;
    }
    const view = certificates.get(key);
    if (view === undefined) invalid(`Secret ${key} does not exist`);
    else if (view.kind === "unusable") invalid(`Secret ${key}: ${view.message}`);
    else {
      names.add(key);
      const age = ages.get(key);
      if (age !== undefined) warnings.push(`Secret ${key}: ${age}`);
    }
  }

  const [first] = problems;
  return {
    names: [...names],
    ...(first && {
      problem: {
        reason: first.reason,
        message: listed(
          problems.map(({ message }) => message),
          "; ",
        ),
      },
    }),
    warnings,
  };
}
