import { kinds } from "@gatewright/crd-types";
import { ApiObject, Chart } from "cdk8s";
import type { Construct } from "constructs";
import { labels, name, type OperatorOptions } from "./operator-options.ts";
import { madeKinds } from "./operator-roles.ts";

const label = "app.kubernetes.io/managed-by";

/** Roles cannot say which objects: the operator may write those only that it has made itself, and that carry its mark. */
const isMarked = (object: string) => `${object}.metadata.?labels['${label}'].orValue('') == 'gatewright'`;
const isApplied = (object: string) =>
  `${object}.metadata.?managedFields.orValue([]).exists(entry, entry.?manager.orValue('') == 'gatewright')`;

/**
 * Keeps the operator, or whoever has got hold of its account, from touching what it did not make: Secrets of others above all.
 * Kubernetes 1.30 or newer. https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 */
export class OperatorGuard extends Chart {
  constructor(scope: Construct, id: string, { namespace }: OperatorOptions) {
    super(scope, id);
    const metadata = { name: "gatewright-operator", labels };
    const resourceRules = madeKinds.map((each) => ({
      apiGroups: [kinds[each].group],
      apiVersions: ["*"],
      resources: [kinds[each].plural],
      operations: ["CREATE", "UPDATE", "DELETE"],
    }));
    new ApiObject(this, "policy", {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicy",
      metadata,
      spec: {
        failurePolicy: "Fail",
        matchConstraints: { resourceRules },
        matchConditions: [
          {
            name: "is-the-operator",
            expression: `request.userInfo.username == 'system:serviceaccount:${namespace}:${name}'`,
          },
        ],
        validations: [
          {
            expression: `request.operation == 'DELETE' || ${isMarked("object")}`,
            message: `Gatewright may only write objects with the label ${label}: gatewright`,
          },
          {
            // One that somebody took the mark from is marked again.
            expression: `request.operation == 'CREATE' || ${isMarked("oldObject")} || ${isApplied("oldObject")}`,
            message: "Gatewright may only touch objects that it has made",
          },
        ],
      },
    });
    new ApiObject(this, "binding", {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicyBinding",
      metadata,
      spec: { policyName: metadata.name, validationActions: ["Deny"] },
    });
  }
}
