import {
  type SubjectAltNameMatcherSchema,
  SubjectAltNameMatcher_SanType,
} from "@gatewright/crd-types/proto/envoy/extensions/transport_sockets/tls/v3/common_pb";
import { UpstreamTlsContextSchema } from "@gatewright/crd-types/proto/envoy/extensions/transport_sockets/tls/v3/tls_pb";
import type { Cluster, UpstreamTls } from "../ir/index.ts";
import { adsConfigSource } from "./config-source.ts";
import type { Init } from "./init.ts";
import { packAny } from "./proto/index.ts";
import { escapeRegex } from "./route/regex.ts";
import { validatedBy } from "./trust-bundle.ts";

/** Where Debian and its kin have the bundle of `ca-certificates`. */
const systemTrust = { specifier: { case: "filename", value: "/etc/ssl/certs/ca-certificates.crt" } } as const;

/** TLS to a backend that has to prove by its certificate who it is. */
export function upstreamTlsSocket(
  { serverName, authorities, subjectAltNames, clientCertificate }: UpstreamTls,
  protocol: Cluster["protocol"],
) {
  const rules = { matchTypedSubjectAltNames: subjectAltNames.map(nameMatcher) };
  const context = packAny(UpstreamTlsContextSchema, {
    sni: serverName,
    commonTlsContext: {
      alpnProtocols: protocol === "http2" ? ["h2"] : [],
      ...(clientCertificate !== undefined && {
        tlsCertificateSdsSecretConfigs: [{ name: clientCertificate, sdsConfig: adsConfigSource() }],
      }),
      validationContextType:
        authorities.kind === "system"
          ? { case: "validationContext", value: { trustedCa: systemTrust, ...rules } }
          : validatedBy(authorities.pem, rules),
    },
  });
  return { name: "envoy.transport_sockets.tls", configType: { case: "typedConfig", value: context } } as const;
}

const nameMatcher = ({
  kind,
  value,
}: UpstreamTls["subjectAltNames"][number]): Init<typeof SubjectAltNameMatcherSchema> => ({
  sanType: kind === "dns" ? SubjectAltNameMatcher_SanType.DNS : SubjectAltNameMatcher_SanType.URI,
  matcher: { matchPattern: kind === "dns" && value.startsWith("*.") ? anyLabel(value) : { case: "exact", value } },
});

/** As in a certificate, the star stands for one label. By itself Envoy takes it for a letter. */
const anyLabel = (wildcard: string) =>
  ({
    case: "safeRegex",
    value: { regex: `(?i)[^.]+${escapeRegex(wildcard.slice(1))}` },
  }) as const;
