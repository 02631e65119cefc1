import { CertificateValidationContext_TrustChainVerification as Verification } from "@gatewright/crd-types/proto/envoy/extensions/transport_sockets/tls/v3/common_pb";
import { DownstreamTlsContextSchema } from "@gatewright/crd-types/proto/envoy/extensions/transport_sockets/tls/v3/tls_pb";
import type { ClientValidation, DownstreamTls } from "../ir/index.ts";
import { adsConfigSource } from "./config-source.ts";
import type { Init } from "./init.ts";
import { packAny } from "./proto/index.ts";
import { validatedBy } from "./trust-bundle.ts";

type ContextInit = Init<typeof DownstreamTlsContextSchema>;

/** TLS that ends here, by whichever of its certificates there are. */
export function downstreamTlsSocket(
  { certificates, alpnProtocols, clients }: DownstreamTls,
  hasSecret: (name: string) => boolean,
) {
  const context = packAny(DownstreamTlsContextSchema, {
    ...(clients && clientRules(clients)),
    commonTlsContext: {
      alpnProtocols: [...alpnProtocols],
      tlsCertificateSdsSecretConfigs: certificates
        .filter(hasSecret)
        .map((name) => ({ name, sdsConfig: adsConfigSource() })),
      ...(clients && { validationContextType: clientTrust(clients) }),
    },
  });
  return { name: "envoy.transport_sockets.tls", configType: { case: "typedConfig", value: context } } as const;
}

/** Who resumes a session shows no certificate: each connection has to show its own. */
const clientRules = ({ accept }: ClientValidation): ContextInit =>
  accept === "any"
    ? {}
    : {
        requireClientCertificate: true,
        sessionTicketKeysType: { case: "disableStatelessSessionResumption", value: true },
        disableStatefulSessionResumption: true,
      };

const clientTrust = ({ authorities, accept }: ClientValidation) =>
  validatedBy(authorities, {
    trustChainVerification: accept === "any" ? Verification.ACCEPT_UNTRUSTED : Verification.VERIFY_TRUST_CHAIN,
  });
