import {
  type Gateway,
  GatewayReasonInvalidClientCertificateRef,
  GatewayReasonRefNotPermitted,
  ListenerReasonRefNotPermitted,
} from "@gatewright/crd-types/gateway/v1";
import type { Problem } from "../conditions.ts";
import type { Grants } from "../refs/index.ts";
import { resolveCertificates } from "./certificate-refs.ts";
import type { CertificateTables } from "./certificates.ts";

/** The certificate by which a Gateway shows backends who it is. */
export type ClientCertificate = {
  /** Its name in the IR's `secrets` table. Undefined: it shows none. */
  readonly name?: string;
  /** Why the reference is not resolved. Backends that want a certificate will turn the Gateway away. */
  readonly problem?: Problem;
};

export function resolveClientCertificate(
  { metadata, spec }: Gateway,
  grants: Grants,
  tables: CertificateTables,
): ClientCertificate {
  const ref = spec.tls?.backend?.clientCertificateRef;
  if (ref === undefined) return {};
  const owner = { kind: "Gateway", namespace: metadata.namespace ?? "" } as const;
  const { names, problem } = resolveCertificates(owner, [ref], grants, tables);
  const [name] = names;
  if (problem === undefined) return name === undefined ? {} : { name };
  const reason =
    problem.reason === ListenerReasonRefNotPermitted
      ? GatewayReasonRefNotPermitted
      : GatewayReasonInvalidClientCertificateRef;
  return { problem: { reason, message: `spec.tls.backend.clientCertificateRef: ${problem.message}` } };
}
