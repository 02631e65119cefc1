import type { FrontendTLSValidation as OverlaidValidation } from "@gatewright/crd-types/cluster-trust-bundle-ref/gateway/v1";
import {
  AllowInsecureFallback,
  BackendTLSPolicyReasonInvalidKind,
  type FrontendTLSValidation,
  type Gateway,
  GatewayConditionInsecureFrontendValidationMode,
  GatewayReasonConfigurationChanged,
  GroupName,
  ListenerReasonInvalidCACertificateKind,
  ListenerReasonInvalidCACertificateRef,
  ListenerReasonNoValidCACertificate,
  ListenerReasonRefNotPermitted,
  type TLSConfig,
} from "@gatewright/crd-types/gateway/v1";
import type { ClientValidation } from "../../ir/index.ts";
import type { Graph, Table } from "../../lib/index.ts";
import { isTrue, type Problem } from "../conditions.ts";
import { listed } from "../messages.ts";
import type { Grants } from "../refs/index.ts";
import {
  type Authorities,
  authorityKey,
  type AuthorityProblem,
  type AuthorityRef,
  bundleRefOf,
} from "../trust/index.ts";
import type { DesiredCondition } from "../views.ts";

/** What a Gateway asks of the clients that connect to one of its ports by TLS. */
export type FrontendView = {
  /** Undefined where nobody can be trusted: then nobody is let in. */
  readonly clients?: ClientValidation;
  /** Why its listeners are not accepted. */
  readonly refusal?: Problem;
  /** Why their references are not resolved. */
  readonly unresolved?: Problem;
};

export type Frontend = {
  /** For ports of which nothing is said. */
  readonly fallback: FrontendView | undefined;
  readonly perPort: ReadonlyMap<number, FrontendView | undefined>;
};

/** What is said for a port stands instead of the default, even if it is nothing. Undefined: clients need no certificate. */
export const frontendAt = ({ fallback, perPort }: Frontend, port: number): FrontendView | undefined =>
  perPort.has(port) ? perPort.get(port) : fallback;

/** The objects with certificates of authorities that Gateways name for their clients, by `authorityKey`. */
export const indexFrontendAuthorities = (graph: Graph, gateways: Table<Gateway>): Table<ReadonlySet<string>> =>
  graph.index("frontendAuthorities", gateways, (gateway) =>
    statedBy(gateway).flatMap((validation) => refsOf(validation, gateway).map(authorityKey)),
  );

export function resolveFrontend(gateway: Gateway, grants: Grants, authorities: Authorities): Frontend {
  const { default: fallback, perPort = [] } = gateway.spec.tls?.frontend ?? {};
  const view = (config: TLSConfig | undefined) =>
    config?.validation && viewOf(config.validation, gateway, grants, authorities);
  return { fallback: view(fallback), perPort: new Map(perPort.map(({ port, tls }) => [port, view(tls)])) };
}

function viewOf(
  validation: FrontendTLSValidation,
  gateway: Gateway,
  grants: Grants,
  { resolve }: Authorities,
): FrontendView {
  const from = { group: GroupName, kind: "Gateway", namespace: gateway.metadata.namespace ?? "" };
  const { bundle, problems } = resolve(refsOf(validation, gateway), (ref) => grants.permits(from, ref));
  const [first] = problems;
  const message = listed(
    problems.map((problem) => problem.message),
    "; ",
  );
  const unresolved = first && {
    unresolved: { reason: reasons[first.kind], message: `spec.tls.frontend of the Gateway: ${message}` },
  };
  if (bundle === "")
    return {
      refusal: {
        reason: ListenerReasonNoValidCACertificate,
        message:
          "spec.tls.frontend of the Gateway names no certificate of an authority that can be used, so that nobody can be let in",
      },
      ...unresolved,
    };
  const accept = validation.mode === AllowInsecureFallback ? "any" : "valid";
  return { clients: { authorities: bundle, accept }, ...unresolved };
}

/** Says that somewhere anybody is let in; it must not be there otherwise. */
export function insecureFrontendCondition(gateway: Gateway): readonly DesiredCondition[] {
  return statedBy(gateway).some(({ mode }) => mode === AllowInsecureFallback)
    ? [
        isTrue(
          GatewayConditionInsecureFrontendValidationMode,
          GatewayReasonConfigurationChanged,
          `clients without a valid certificate are let in: mode ${AllowInsecureFallback} in spec.tls.frontend`,
        ),
      ]
    : [];
}

function statedBy({ spec }: Gateway): readonly FrontendTLSValidation[] {
  const frontend = spec.tls?.frontend;
  return [frontend?.default, ...(frontend?.perPort ?? []).map(({ tls }) => tls)].flatMap(
    (config) => config?.validation ?? [],
  );
}

/** What the overlay of the API has more may be there or not. */
function refsOf(
  { caCertificateRefs = [], clusterTrustBundleRef }: OverlaidValidation,
  { metadata: { namespace: own = "" } }: Gateway,
): readonly AuthorityRef[] {
  const refs = caCertificateRefs.map(({ group, kind, name, namespace = own }) => ({ group, kind, name, namespace }));
  return clusterTrustBundleRef === undefined ? refs : [...refs, bundleRefOf(clusterTrustBundleRef, own)];
}

const reasons: Readonly<Record<AuthorityProblem["kind"], string>> = {
  "unknown-kind": ListenerReasonInvalidCACertificateKind,
  // A word of policies, which GEP-5075 has for listeners too: no other says whose fault it is.
  "absent-kind": BackendTLSPolicyReasonInvalidKind,
  "not-permitted": ListenerReasonRefNotPermitted,
  invalid: ListenerReasonInvalidCACertificateRef,
};
