import type { BackendTLSPolicyValidation as OverlaidValidation } from "@gatewright/crd-types/cluster-trust-bundle-ref/gateway/v1";
import {
  type BackendTLSPolicy,
  BackendTLSPolicyConditionResolvedRefs,
  BackendTLSPolicyReasonInvalidCACertificateRef,
  BackendTLSPolicyReasonInvalidKind,
  BackendTLSPolicyReasonNoValidCACertificate,
  BackendTLSPolicyReasonResolvedRefs,
  type BackendTLSPolicyValidation,
  PolicyConditionAccepted,
  PolicyReasonAccepted,
  PolicyReasonConflicted,
  PolicyReasonInvalid,
  PolicyReasonTargetNotFound,
} from "@gatewright/crd-types/gateway/v1";
import type { UpstreamTls } from "../../ir/index.ts";
import { deepEqual, type Graph, type Table } from "../../lib/index.ts";
import type { Store } from "../../store/index.ts";
import { isFalse, isTrue, type Problem } from "../conditions.ts";
import { listed } from "../messages.ts";
import type { Authorities, AuthorityProblem, AuthorityRef, Trust } from "../trust/index.ts";
import { authorityKey, bundleRefOf } from "../trust/index.ts";
import type { DesiredCondition } from "../views.ts";
import { formatTarget, serviceOf, targetKey, targetProblem, targetsOf } from "./targets.ts";

/** What a BackendTLSPolicy comes to, by its key. */
export type BackendTlsView = {
  /** Undefined: whom to trust is not known, and the backends must not be spoken to at all. */
  readonly tls: UpstreamTls | undefined;
  readonly conditions: readonly DesiredCondition[];
  /** `namespace/name` of the Services that it is about. */
  readonly services: readonly string[];
  /** What is wrong with targets, whatever else is wrong: a condition has one reason. */
  readonly unreached?: string;
};

export type BackendTls = {
  readonly policies: Table<BackendTlsView>;
  /** Of the policies for a port of a Service, the one that counts: that which names the port, or else the oldest. */
  readonly policyFor: (service: string, portName: string) => BackendTlsView | undefined;
};

/** The objects with certificates of authorities that policies name, by `authorityKey`. */
export const indexPolicyAuthorities = (graph: Graph, { objects }: Store): Table<ReadonlySet<string>> =>
  graph.index("policyAuthorities", objects.BackendTLSPolicy, (policy) => authorityRefsOf(policy).map(authorityKey));

export function createBackendTls(
  graph: Graph,
  { objects }: Store,
  { resolve }: Pick<Authorities, "resolve">,
): BackendTls {
  const { BackendTLSPolicy, Service } = objects;
  const byTarget = graph.index("tlsPoliciesByTarget", BackendTLSPolicy, targetsOf);

  /** The oldest of the policies for the same target; names settle the rest. */
  function winnerOf(target: string): string | undefined {
    const rivals = [...(byTarget.get(target) ?? [])].map((key) => ({ key, since: ageOf(BackendTLSPolicy.get(key)) }));
    return rivals.toSorted((left, right) => compare(left.since, right.since) || compare(left.key, right.key))[0]?.key;
  }

  function conflictOf(key: string, targets: readonly string[]): Problem | undefined {
    const lost = targets.filter((target) => winnerOf(target) !== key);
    const rivals = lost.map((target) => `${formatTarget(target)} (${winnerOf(target)})`);
    return lost.length === 0
      ? undefined
      : { reason: PolicyReasonConflicted, message: `an older policy is for the same target: ${listed(rivals)}` };
  }

  function missingOf(targets: readonly string[]): Missing | undefined {
    const problems = targets.flatMap((target) => targetProblem(target, Service.get(serviceOf(target))) ?? []);
    if (problems.length === 0) return undefined;
    return { message: listed(problems, "; "), all: problems.length === targets.length };
  }

  const policies = graph.derive<BackendTlsView>("backendTlsPolicies", {
    keysOf: [BackendTLSPolicy],
    compute: (key) => {
      const policy = BackendTLSPolicy.get(key);
      if (policy === undefined) return undefined;
      const targets = targetsOf(policy);
      const trust = resolve(authorityRefsOf(policy));
      const missing = missingOf(targets);
      return {
        ...translatePolicy(policy, trust, conflictOf(key, targets), missing),
        ...(missing && { unreached: missing.message }),
        services: [...new Set(targets.map(serviceOf))],
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

/** Targets that are not there. */
type Missing = { readonly message: string; readonly all: boolean };

/** What the overlay of the API has more may be there or not. */
const authorityRefsOf = ({ metadata: { namespace = "" }, spec }: BackendTLSPolicy): readonly AuthorityRef[] => {
  const { caCertificateRefs = [], clusterTrustBundleRef }: OverlaidValidation = spec.validation;
  const refs = caCertificateRefs.map((ref) => ({ ...ref, namespace }));
  return clusterTrustBundleRef === undefined ? refs : [...refs, bundleRefOf(clusterTrustBundleRef, namespace)];
};

const compare = (left: string, right: string): number => (left === right ? 0 : left < right ? -1 : 1);

/** Where a file states none, a policy counts as old. */
function ageOf(policy: BackendTLSPolicy | undefined): string {
  const time = Date.parse(policy?.metadata.creationTimestamp ?? "");
  return Number.isNaN(time) ? "" : new Date(time).toISOString();
}

function translatePolicy(
  { spec: { validation } }: BackendTLSPolicy,
  trust: Trust,
  conflict: Problem | undefined,
  missing: Missing | undefined,
): Omit<BackendTlsView, "services"> {
  const authorities = authoritiesOf(validation, trust);
  const lost: Problem | undefined = missing?.all
    ? { reason: PolicyReasonTargetNotFound, message: missing.message }
    : undefined;
  const problem = distrust(validation, trust, authorities) ?? conflict ?? lost;
  return {
    tls: authorities && {
      serverName: validation.hostname,
      authorities,
      subjectAltNames: subjectAltNamesOf(validation),
    },
    conditions: [
      problem === undefined
        ? isTrue(PolicyConditionAccepted, PolicyReasonAccepted, missing?.message)
        : isFalse(PolicyConditionAccepted, problem),
      resolvedRefs(trust.problems),
    ],
  };
}

function authoritiesOf(
  { wellKnownCACertificates }: BackendTLSPolicyValidation,
  { bundle, problems }: Trust,
): UpstreamTls["authorities"] | undefined {
  if (bundle !== "") return { kind: "bundle", pem: bundle };
  // Whoever names somebody, be it in vain, does not trust everybody instead.
  return problems.length === 0 && wellKnownCACertificates === "System" ? { kind: "system" } : undefined;
}

/** Why nobody is trusted. */
function distrust(
  { wellKnownCACertificates }: BackendTLSPolicyValidation,
  { problems }: Trust,
  authorities: UpstreamTls["authorities"] | undefined,
): Problem | undefined {
  if (authorities !== undefined) return undefined;
  if (problems.length === 0 && wellKnownCACertificates !== undefined)
    return {
      reason: PolicyReasonInvalid,
      message: `wellKnownCACertificates ${wellKnownCACertificates} is not supported`,
    };
  const message = messagesOf(problems) || "no certificate of an authority is named";
  return { reason: BackendTLSPolicyReasonNoValidCACertificate, message };
}

const reasons: Readonly<Record<AuthorityProblem["kind"], string>> = {
  "unknown-kind": BackendTLSPolicyReasonInvalidKind,
  "absent-kind": BackendTLSPolicyReasonInvalidKind,
  // References stay in the policy's namespace: nobody has to permit them.
  "not-permitted": BackendTLSPolicyReasonInvalidCACertificateRef,
  invalid: BackendTLSPolicyReasonInvalidCACertificateRef,
};

function resolvedRefs(problems: readonly AuthorityProblem[]): DesiredCondition {
  const [first] = problems;
  return first === undefined
    ? isTrue(BackendTLSPolicyConditionResolvedRefs, BackendTLSPolicyReasonResolvedRefs)
    : isFalse(BackendTLSPolicyConditionResolvedRefs, { reason: reasons[first.kind], message: messagesOf(problems) });
}

const messagesOf = (problems: readonly AuthorityProblem[]): string =>
  listed(
    problems.map(({ message }) => message),
    "; ",
  );

/** Where names are stated, the hostname is for SNI alone. */
function subjectAltNamesOf({
  hostname,
  subjectAltNames = [],
}: BackendTLSPolicyValidation): UpstreamTls["subjectAltNames"] {
  const names = subjectAltNames.flatMap(({ type, hostname: dns, uri }) => {
    const value = type === "URI" ? uri : dns;
    return value === undefined || value === ""
      ? []
      : [{ kind: type === "URI" ? ("uri" as const) : ("dns" as const), value }];
  });
  return names.length === 0 ? [{ kind: "dns", value: hostname }] : names;
}
