import type { ClusterTrustBundleObjectRef } from "@gatewright/crd-types/cluster-trust-bundle-ref/gateway/v1";
import { deepEqual, type Graph, type Table } from "../../lib/index.ts";
import type { Inputs } from "../inputs.ts";
import { formatKind } from "../messages.ts";
import { formProblem } from "./form.ts";
import { type Reading, type Source, sourceKey, sources } from "./sources.ts";

/** A reference to certificates of authorities, whoever states it. */
export type AuthorityRef = {
  readonly group: string;
  readonly kind: string;
  /** Where the object is, for kinds that have namespaces. */
  readonly namespace: string;
  readonly name: string;
};

/** The reference of an object that names a ClusterTrustBundle in the way of the overlay, whose group and kind have defaults. */
export const bundleRefOf = (
  { group = "certificates.k8s.io", kind = "ClusterTrustBundle", name }: ClusterTrustBundleObjectRef,
  namespace: string,
): AuthorityRef => ({ group, kind, namespace, name });

/** What is wrong with a reference. Who has stated it knows the reason for its own condition. */
export type AuthorityProblem = {
  /** `unknown-kind`: nobody serves it here. `absent-kind`: it would be served, and the cluster does not have it. */
  readonly kind: "unknown-kind" | "absent-kind" | "not-permitted" | "invalid";
  readonly message: string;
};

/** Whom references come to trust. Good ones count beside bad ones. */
export type Trust = {
  /** In PEM, each certificate once; empty: nobody. */
  readonly bundle: string;
  readonly problems: readonly AuthorityProblem[];
};

export type Authorities = {
  /** `permits` says whether a reference is allowed, and is asked before the object is looked at; what has no namespace nobody need permit. */
  readonly resolve: (refs: readonly AuthorityRef[], permits?: (ref: AuthorityRef) => boolean) => Trust;
};

type Usable = { readonly kind: "usable"; readonly certificates: readonly string[] };

/** What one object comes to: its certificates in PEM, or what is wrong with it. */
type AuthorityView = Usable | { readonly kind: "unusable"; readonly message: string };

/** The key by which an object is named for being read: the same for all who refer to it. */
export function authorityKey(ref: AuthorityRef): string {
  const kind = formatKind(ref);
  const source = sources.get(kind);
  return `${kind} ${source === undefined ? ref.name : sourceKey(source, ref.namespace, ref.name)}`;
}

/** `named` are indexes by `authorityKey`: of the objects that somebody refers to. Each is read once, whoever refers to it. */
export function createAuthorities(
  graph: Graph,
  { store: { objects }, unavailable }: Pick<Inputs, "store" | "unavailable">,
  named: readonly Table<ReadonlySet<string>>[],
): Authorities {
  const views = graph.derive<AuthorityView>("authorities", {
    keysOf: named,
    compute: (key) => {
      const blank = key.indexOf(" ");
      const source = sources.get(key.slice(0, blank));
      return source && viewOf(source.read(objects, key.slice(blank + 1)));
    },
    equal: deepEqual,
  });

  function follow(ref: AuthorityRef, permits: (ref: AuthorityRef) => boolean): Usable | AuthorityProblem {
    const source = sources.get(formatKind(ref));
    const what = authorityKey(ref);
    if (source === undefined) return { kind: "unknown-kind", message: `${what} is no ${known}` };
    const problem = unavailability(source, ref);
    if (problem !== undefined) return problem;
    // Before all else: whether it exists is none of a stranger's business.
    if (source.isNamespaced && !permits(ref))
      return { kind: "not-permitted", message: `no ReferenceGrant in namespace ${ref.namespace} permits ${what}` };
    const view = views.get(authorityKey(ref)) ?? { kind: "unusable", message: "does not exist" };
    return view.kind === "usable" ? view : { kind: "invalid", message: `${what} ${view.message}` };
  }

  /** What was read of a kind before counts for nothing where it cannot be read any more. */
  function unavailability({ kind }: Source, ref: AuthorityRef): AuthorityProblem | undefined {
    const state = unavailable?.get(kind);
    switch (state?.kind) {
      case undefined:
        return undefined;
      case "absent":
        return { kind: "absent-kind", message: `${authorityKey(ref)}: the API server does not have this kind` };
      case "unreadable":
        return { kind: "invalid", message: `${authorityKey(ref)} cannot be read: ${state.message}` };
    }
  }

  return {
    resolve: (refs, permits = () => true) => {
      const problems: AuthorityProblem[] = [];
      const certificates = new Set<string>();
      for (const ref of refs) {
        const found = follow(ref, permits);
        if (found.kind === "usable") for (const certificate of found.certificates) certificates.add(certificate);
        else problems.push(found);
      }
      return { bundle: [...certificates].join(""), problems };
    },
  };
}

const known = [...sources.keys()].join(", ").replace(/, (?=[^,]*$)/, " or ");

function viewOf(reading: Reading): AuthorityView {
  if (reading.kind === "unusable") return reading;
  const { certificates, field } = reading;
  for (const [index, certificate] of certificates.entries()) {
    const problem = formProblem(certificate);
    if (problem !== undefined)
      return { kind: "unusable", message: `has in ${field} certificate ${index + 1}, which ${problem}` };
  }
  // Written anew, so that Envoy reads nothing that was not read here.
  return { kind: "usable", certificates: certificates.map(String) };
}
