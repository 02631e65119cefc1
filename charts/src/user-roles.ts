import { ApiObject, Chart } from "cdk8s";
import type { Construct } from "constructs";

/**
 * What people may do with our kinds. An HTTPFilter changes what the proxy does with a team's traffic, so whoever may edit a namespace may
 * write one, and whoever may view it may read it. MeshConfig is an administrator's: neither role has it.
 * https://kubernetes.io/docs/reference/access-authn-authz/rbac/#aggregated-clusterroles
 */
export class UserRoles extends Chart {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    const read = ["get", "list", "watch"];
    const write = ["create", "delete", "deletecollection", "patch", "update"];
    clusterRole(this, "gatewright-view", ["view", "edit", "admin"], read);
    clusterRole(this, "gatewright-edit", ["edit", "admin"], write);
  }
}

function clusterRole(scope: Construct, name: string, aggregateTo: readonly string[], verbs: readonly string[]): void {
  const labels = aggregateTo.map((role) => [`rbac.authorization.k8s.io/aggregate-to-${role}`, "true"]);
  new ApiObject(scope, name, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name, labels: Object.fromEntries(labels) },
    rules: [{ apiGroups: ["config.aether.io"], resources: ["httpfilters"], verbs: [...verbs] }],
  });
}
