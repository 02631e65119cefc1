import type { ReferenceGrant } from "@gatewright/crd-types/gateway/v1beta1";
import type { Graph } from "../../lib/index.ts";
import type { Store } from "../../store/index.ts";

/** Who refers: `group` and `kind` of the object, and where it is. */
export type GrantFrom = { readonly group: string; readonly kind: string; readonly namespace: string };

/** What is referred to. */
export type GrantTo = {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
};

export type Grants = {
  /** Whether a reference is allowed: inside of a namespace always, to another one where a ReferenceGrant there says so. */
  readonly permits: (from: GrantFrom, to: GrantTo) => boolean;
};

const bucketOf = ({ group, kind, namespace }: GrantFrom, target: string): string =>
  `${group}/${kind}/${namespace} ${target}`;

/** Grants by who is trusted and where, so that one grant wakes only those whom it concerns. https://gateway-api.sigs.k8s.io/geps/gep-709/ */
export function createGrants(graph: Graph, store: Store): Grants {
  const grants = store.objects.ReferenceGrant;
  const byTrusted = graph.index("grantsByTrusted", grants, ({ metadata, spec }) =>
    spec.from.map((from) => bucketOf(from, metadata.namespace ?? "")),
  );

  return {
    permits: (from, to) => {
      if (from.namespace === to.namespace) return true;
      for (const key of byTrusted.get(bucketOf(from, to.namespace)) ?? []) {
        const grant = grants.get(key);
        if (grant !== undefined && reaches(grant, to)) return true;
      }
      return false;
    },
  };
}

const reaches = ({ spec }: ReferenceGrant, { group, kind, name }: GrantTo): boolean =>
  spec.to.some(
    (target) => target.group === group && target.kind === kind && (target.name === undefined || target.name === name),
  );
