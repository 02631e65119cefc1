import type { Gateway } from "@gatewright/crd-types/gateway/v1";
import { deepEqual, type Graph, type Table } from "../../lib/index.ts";
import type { Problem } from "../conditions.ts";
import type { Grants } from "../refs/index.ts";
import type { Authorities } from "../trust/index.ts";
import type { DesiredCondition } from "../views.ts";
import type { CertificateTables } from "./certificates.ts";
import { resolveClientCertificate } from "./client-certificate.ts";
import { type Frontend, insecureFrontendCondition, resolveFrontend } from "./frontend.ts";

/** What `spec.tls` of a Gateway comes to, for all of its listeners and backends. By Gateway key. */
export type GatewayTlsView = {
  readonly frontend: Frontend;
  /** The certificate that is shown to backends: its name in the IR's `secrets` table. */
  readonly clientCertificate?: string;
  /** Why the reference to that is not resolved. */
  readonly problem?: Problem;
  /** What the Gateway's status has to say besides. */
  readonly conditions: readonly DesiredCondition[];
};

export type GatewayTls = {
  readonly gatewayTls: Table<GatewayTlsView>;
  /** `clientCertificate` alone, for those whom the rest is not to wake. */
  readonly clientCertificates: Table<string>;
};

export type GatewayTlsSources = {
  readonly own: Table<Gateway>;
  readonly grants: Grants;
  readonly certificates: CertificateTables;
  readonly authorities: Authorities;
};

export function createGatewayTls(
  graph: Graph,
  { own, grants, certificates, authorities }: GatewayTlsSources,
): GatewayTls {
  const gatewayTls = graph.derive<GatewayTlsView>("gatewayTls", {
    keysOf: [own],
    compute: (key) => {
      const gateway = own.get(key);
      if (gateway?.spec.tls === undefined) return undefined;
      const { name, problem } = resolveClientCertificate(gateway, grants, certificates);
      return {
        frontend: resolveFrontend(gateway, grants, authorities),
        ...(name !== undefined && { clientCertificate: name }),
        ...(problem !== undefined && { problem }),
        conditions: insecureFrontendCondition(gateway),
      };
    },
    equal: deepEqual,
  });
  const clientCertificates = graph.derive<string>("clientCertificates", {
    keysOf: [gatewayTls],
    compute: (key) => gatewayTls.get(key)?.clientCertificate,
  });
  return { gatewayTls, clientCertificates };
}
