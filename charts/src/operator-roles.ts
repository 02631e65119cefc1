import { Namespace, ServiceAccount } from "@gatewright/constructs";
import { type KindName, kinds } from "@gatewright/crd-types";
import { ApiObject, Chart } from "cdk8s";
import type { Construct } from "constructs";
import { labels, name, type OperatorOptions } from "./operator-options.ts";

/** What the operator reads, in all namespaces: Gateways, and whatever they and their routes may refer to. */
export const readKinds: readonly KindName[] = [
  "BackendTLSPolicy",
  "ClusterTrustBundle",
  "ConfigMap",
  "EndpointSlice",
  "Gateway",
  "GatewayClass",
  "GRPCRoute",
  "HTTPFilter",
  "HTTPRoute",
  "ListenerSet",
  "MeshConfig",
  "Namespace",
  "Pod",
  "ReferenceGrant",
  "Secret",
  "Service",
  "TCPRoute",
  "TLSRoute",
  "UDPRoute",
];

/** Those of which it writes the status. */
export const reportedKinds: readonly KindName[] = [
  "BackendTLSPolicy",
  "Gateway",
  "GatewayClass",
  "GRPCRoute",
  "HTTPFilter",
  "HTTPRoute",
  "ListenerSet",
  "MeshConfig",
  "TCPRoute",
  "TLSRoute",
  "UDPRoute",
];

/** What it makes for a Gateway, in the namespace of the Gateway. `OperatorGuard` bounds which of them it may touch. */
export const madeKinds: readonly KindName[] = [
  "ConfigMap",
  "Deployment",
  "HorizontalPodAutoscaler",
  "PodDisruptionBudget",
  "Secret",
  "Service",
  "ServiceAccount",
];

const read = ["get", "list", "watch"];

/** The operator's namespace and account, and what it may do: nothing else. */
export class OperatorRoles extends Chart {
  constructor(scope: Construct, id: string, { namespace }: OperatorOptions) {
    super(scope, id);
    const subject = { kind: "ServiceAccount", name, namespace };
    const inNamespace = { name, namespace, labels };
    new Namespace(this, "namespace", {
      metadata: { name: namespace, labels: { ...labels, "pod-security.kubernetes.io/enforce": "restricted" } },
    });
    new ServiceAccount(this, "account", { metadata: inNamespace });
    new ApiObject(this, "cluster-role", {
      ...rbac("ClusterRole", { name: "gatewright-operator", labels }),
      rules: [
        ...rulesOf([...new Set([...readKinds, ...madeKinds])], read),
        ...rulesOf(reportedKinds, ["patch"], "/status"),
        // Gateways whose Service opens a port on each node are reached there.
        { apiGroups: [""], resources: ["nodes"], verbs: read },
        // At the objects that have a trouble; the same again becomes a count.
        { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] },
        // To apply is to create or to patch.
        ...rulesOf(madeKinds, ["create", "delete", "patch"]),
        // Which kinds there are. Their definitions are looked at for their names only.
        { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: read },
      ],
    });
    new ApiObject(this, "cluster-role-binding", {
      ...rbac("ClusterRoleBinding", { name: "gatewright-operator", labels }),
      roleRef: { apiGroup: rbacGroup, kind: "ClusterRole", name: "gatewright-operator" },
      subjects: [subject],
    });
    new ApiObject(this, "role", {
      ...rbac("Role", inNamespace),
      rules: [
        // Who writes, of several replicas.
        ...rulesOf(["Lease"], ["create", "get", "update"]),
        // The authority that operator and proxies trust is renewed; the rest is said above.
        ...rulesOf(["Secret"], ["update"]),
      ],
    });
    new ApiObject(this, "role-binding", {
      ...rbac("RoleBinding", inNamespace),
      roleRef: { apiGroup: rbacGroup, kind: "Role", name },
      subjects: [subject],
    });
  }
}

const rbacGroup = "rbac.authorization.k8s.io";

const rbac = (kind: string, metadata: object) => ({ apiVersion: `${rbacGroup}/v1`, kind, metadata });

/** One rule a group. */
function rulesOf(names: readonly KindName[], verbs: readonly string[], subresource = "") {
  const groups = new Map<string, string[]>();
  for (const { group, plural } of names.map((each) => kinds[each]))
    groups.set(group, [...(groups.get(group) ?? []), `${plural}${subresource}`]);
  return [...groups].map(([group, resources]) => ({
    apiGroups: [group],
    resources: resources.toSorted(),
    verbs: [...verbs],
  }));
}
