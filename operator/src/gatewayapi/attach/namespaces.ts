import type { Namespace } from "@gatewright/crd-types/core/v1";
import type { LabelSelector } from "@gatewright/crd-types/meta/v1";
import { deepEqual, type Graph, type Table } from "../../lib/index.ts";

export type AllowedNamespaces =
  | { readonly kind: "all" }
  | { readonly kind: "same" }
  | { readonly kind: "none" }
  | { readonly kind: "selector"; readonly selector: LabelSelector };

export type Labels = Readonly<Record<string, string>>;

/** The API server puts it on every Namespace; a folder of manifests need not hold the Namespaces. */
const nameLabel = "kubernetes.io/metadata.name";

/** A namespace's labels, those included that it has by itself. */
export const labelsOf = (namespace: string, stated: Labels | undefined): Labels => ({
  ...stated,
  [nameLabel]: namespace,
});

/** The labels of all namespaces, of those too whose Namespace is not there. */
export function createNamespaceLabels(graph: Graph, namespaces: Table<Namespace>): (namespace: string) => Labels {
  const stated = graph.derive<Labels>("namespaceLabels", {
    keysOf: [namespaces],
    compute: (name) => namespaces.get(name)?.metadata.labels,
    equal: deepEqual,
  });
  return (namespace) => labelsOf(namespace, stated.get(namespace));
}

/** What a listener says of routes, or a Gateway of ListenerSets. */
export function allowedNamespacesOf(
  stated: { readonly from?: string; readonly selector?: LabelSelector } | undefined,
  standard: "Same" | "None",
): AllowedNamespaces {
  const { from = standard, selector } = stated ?? {};
  switch (from) {
    case "All":
      return { kind: "all" };
    case "Same":
      return { kind: "same" };
    case "Selector":
      return selector === undefined ? { kind: "none" } : { kind: "selector", selector };
    default:
      return { kind: "none" };
  }
}

/** Whether what stands in `ownNamespace` takes something of `namespace`. `labels` is asked only where it matters. */
export function allowsNamespace(
  allowed: AllowedNamespaces,
  ownNamespace: string,
  namespace: string,
  labels: (namespace: string) => Labels,
): boolean {
  switch (allowed.kind) {
    case "all":
      return true;
    case "same":
      return namespace === ownNamespace;
    case "selector":
      return matchesSelector(allowed.selector, labels(namespace));
    default:
      return false;
  }
}

/** As Kubernetes has it: all terms must hold, an empty selector takes everything, a malformed one nothing. */
export function matchesSelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector, labels: Labels): boolean {
  const valueOf = (key: string) => (Object.hasOwn(labels, key) ? labels[key] : undefined);
  return (
    Object.entries(matchLabels).every(([key, value]) => valueOf(key) === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = valueOf(key);
      switch (operator) {
        case "In":
          return value !== undefined && values.includes(value);
        case "NotIn":
          return values.length > 0 && (value === undefined || !values.includes(value));
        case "Exists":
          return value !== undefined;
        case "DoesNotExist":
          return value === undefined;
        default:
          return false;
      }
    })
  );
}
