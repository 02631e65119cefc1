import {
  type SubjectAltNameMatcherSchema,
  SubjectAltNameMatcher_SanType,
} from "@gatewright/crd-types/proto/envoy/extensions/transport_sockets/tls/v3/common_pb";
import { UpstreamTlsContextSchema } from "@gatewright/crd-types/proto/envoy/extensions/transport_sockets/tls/v3/tls_pb";
import type { Cluster, UpstreamTls } from "../ir/index.ts";
import type { Init } from "./init.ts";
import { packAny } from "./proto/index.ts";

/** Where Debian and its kin have the bundle of `ca-certificates`. */
const systemBundle = "/etc/ssl/certs/ca-certificates.crt";

/** TLS to a backend that has to prove by its certificate who it is. */
export function upstreamTlsSocket(
  { serverName, authorities, subjectAltNames }: UpstreamTls,
  protocol: Cluster["protocol"],
) {
  const context = packAny(UpstreamTlsContextSchema, {
    sni: serverName,
    commonTlsContext: {
      alpnProtocols: protocol === "http2" ? ["h2"] : [],
      validationContextType: {
        case: "validationContext",
        value: {
          trustedCa:
            authorities.kind === "system"
              ? { specifier: { case: "filename", value: systemBundle } }
              : { specifier: { case: "inlineString", value: authorities.pem } },
          matchTypedSubjectAltNames: subjectAltNames.map(nameMatcher),
        },
      },
    },
  });
  return { name: "envoy.transport_sockets.tls", configType: { case: "typedConfig", value: context } } as const;
}

const nameMatcher = ({
  kind,
  value,
}: UpstreamTls["subjectAltNames"][number]): Init<typeof SubjectAltNameMatcherSchema> => ({
  sanType: kind === "dns" ? SubjectAltNameMatcher_SanType.DNS : SubjectAltNameMatcher_SanType.URI,
  matcher: { matchPattern: { case: "exact", value } },
});
