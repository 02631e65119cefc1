import type { LabelSelector } from "@gatewright/crd-types/meta/v1";
import type { ListenerView } from "../views.ts";

export type Labels = Readonly<Record<string, string>>;

/** The API server puts it on every Namespace; a folder of manifests need not hold the Namespaces. */
const nameLabel = "kubernetes.io/metadata.name";

/** A namespace's labels, those included that it has by itself. */
export const labelsOf = (namespace: string, stated: Labels | undefined): Labels => ({
  ...stated,
  [nameLabel]: namespace,
});

/** Whether a listener takes routes of `namespace`. `labels` is asked only where it matters. */
export function allowsNamespace(
  allowed: ListenerView["allowedNamespaces"],
  gatewayNamespace: string,
  namespace: string,
  labels: (namespace: string) => Labels,
): boolean {
  switch (allowed.kind) {
    case "all":
      return true;
    case "same":
      return namespace === gatewayNamespace;
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
