import {
  type BackendTLSPolicy,
  BackendTLSPolicyConditionResolvedRefs,
  BackendTLSPolicyReasonNoValidCACertificate,
  BackendTLSPolicyReasonResolvedRefs,
  PolicyConditionAccepted,
  PolicyReasonAccepted,
  PolicyReasonConflicted,
  PolicyReasonInvalid,
} from "@gatewright/crd-types/gateway/v1";
import type { UpstreamTls } from "../../ir/index.ts";
import { deepEqual, type Graph, type Table } from "../../lib/index.ts";
import { objectKey, type Store } from "../../store/index.ts";
import { isFalse, isTrue, type Problem } from "../conditions.ts";
import { listed } from "../messages.ts";
import type { DesiredCondition } from "../views.ts";
import { readAuthorities } from "./authorities.ts";

/** What a BackendTLSPolicy comes to, by its key. */
export type BackendTlsView = {
  /** Undefined: whom to trust is not known, and the backends must not be spoken to at all. */
  readonly tls: UpstreamTls | undefined;
  readonly conditions: readonly DesiredCondition[];
  /** `namespace/name` of the Services that it is about. */
  readonly services: readonly string[];
};

export type BackendTls = {
  readonly policies: Table<BackendTlsView>;
  /** Of the policies for a port of a Service, the one that counts: that which names the port, or else the oldest. */
  readonly policyFor: (service: string, portName: string) => BackendTlsView | undefined;
};

export function createBackendTls(graph: Graph, { objects }: Store): BackendTls {
  const { BackendTLSPolicy } = objects;
  const byTarget = graph.index("tlsPoliciesByTarget", BackendTLSPolicy, targetsOf);

  /** The oldest of the policies for the same target; names settle the rest. */
  function winnerOf(target: string): string | undefined {
    const rivals = [...(byTarget.get(target) ?? [])].map((key) => ({ key, since: ageOf(BackendTLSPolicy.get(key)) }));
    return rivals.toSorted((left, right) => compare(left.since, right.since) || compare(left.key, right.key))[0]?.key;
  }

  const policies = graph.derive<BackendTlsView>("backendTlsPolicies", {
    keysOf: [BackendTLSPolicy],
    compute: (key) => {
      const policy = BackendTLSPolicy.get(key);
      if (policy === undefined) return undefined;
      const lost = targetsOf(policy).filter((target) => winnerOf(target) !== key);
      const conflict: Problem | undefined =
        lost.length === 0
          ? undefined
          : {
              reason: PolicyReasonConflicted,
              message: `an older policy is for the same target: ${listed(lost.map((target) => `${target.replace("|", " ")} (${winnerOf(target)})`))}`,
            };
      return {
        ...translatePolicy(policy, conflict, objects),
        services: [...new Set(targetsOf(policy).map(serviceOf))],
      };
    },
    equal: deepEqual,
  });

  return {
    policies,
    policyFor: (service, portName) => {
      const named = portName === "" ? undefined : winnerOf(targetKey(service, portName));
      const winner = named ?? winnerOf(targetKey(service, ""));
      return winner === undefined ? undefined : policies.get(winner);
    },
  };
}

const targetKey = (service: string, portName: string): string => `${service}|${portName}`;

const serviceOf = (target: string): string => target.slice(0, target.indexOf("|"));

const targetsOf = ({ metadata: { namespace = "" }, spec }: BackendTLSPolicy): readonly string[] =>
  spec.targetRefs
    .filter(({ group, kind }) => group === "" && kind === "Service")
    .map(({ name, sectionName = "" }) => targetKey(objectKey(namespace, name), sectionName));

const compare = (left: string, right: string): number => (left === right ? 0 : left < right ? -1 : 1);

/** Where a file states none, a policy counts as old. */
function ageOf(policy: BackendTLSPolicy | undefined): string {
  const time = Date.parse(policy?.metadata.creationTimestamp ?? "");
  return Number.isNaN(time) ? "" : new Date(time).toISOString();
}

function translatePolicy(
  { metadata: { namespace = "" }, spec: { validation } }: BackendTLSPolicy,
  conflict: Problem | undefined,
  objects: Store["objects"],
): Omit<BackendTlsView, "services"> {
  const { hostname, caCertificateRefs = [], wellKnownCACertificates, subjectAltNames = [] } = validation;
  const { bundle, problems } = readAuthorities(namespace, caCertificateRefs, objects);
  const [first] = problems;
  const message = listed(
    problems.map((problem) => problem.message),
    "; ",
  );
  const resolved =
    first === undefined
      ? isTrue(BackendTLSPolicyConditionResolvedRefs, BackendTLSPolicyReasonResolvedRefs)
      : isFalse(BackendTLSPolicyConditionResolvedRefs, { reason: first.reason, message });
  const trusts = bundle !== "" || (caCertificateRefs.length === 0 && wellKnownCACertificates === "System");
  const untrusting: Problem | undefined = trusts
    ? undefined
    : wellKnownCACertificates !== undefined && caCertificateRefs.length === 0
      ? { reason: PolicyReasonInvalid, message: `wellKnownCACertificates ${wellKnownCACertificates} is not supported` }
      : {
          reason: BackendTLSPolicyReasonNoValidCACertificate,
          message: message || "no certificate of an authority is named",
        };
  const problem = untrusting ?? conflict;
  const names = subjectAltNames.flatMap(({ type, hostname: dns, uri }) => {
    const value = type === "URI" ? uri : dns;
    return value === undefined ? [] : [{ kind: type === "URI" ? ("uri" as const) : ("dns" as const), value }];
  });
  return {
    tls: trusts
      ? {
          serverName: hostname,
          authorities: bundle === "" ? { kind: "system" } : { kind: "bundle", pem: bundle },
          subjectAltNames: names.length === 0 ? [{ kind: "dns", value: hostname }] : names,
        }
      : undefined,
    conditions: [
      problem === undefined
        ? isTrue(PolicyConditionAccepted, PolicyReasonAccepted)
        : isFalse(PolicyConditionAccepted, problem),
      resolved,
    ],
  };
}
