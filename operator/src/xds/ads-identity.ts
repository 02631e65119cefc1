import { create, type JsonObject } from "@bufbuild/protobuf";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import { DiscoveryResponseSchema } from "@gatewright/crd-types/proto/envoy/service/discovery/v3/discovery_pb";
import type { DataSourceSchema } from "@gatewright/crd-types/proto/envoy/config/core/v3/base_pb";
import {
  type SdsSecretConfigSchema,
  SecretSchema,
} from "@gatewright/crd-types/proto/envoy/extensions/transport_sockets/tls/v3/secret_pb";
import {
  SubjectAltNameMatcher_SanType,
  TlsParameters_TlsProtocol,
} from "@gatewright/crd-types/proto/envoy/extensions/transport_sockets/tls/v3/common_pb";
import { UpstreamTlsContextSchema } from "@gatewright/crd-types/proto/envoy/extensions/transport_sockets/tls/v3/tls_pb";
import type { Init } from "./init.ts";
import { messageToJson, packAny } from "./proto/index.ts";
import { readableMessage } from "./readable.ts";

/** How a proxy and the operator prove who they are to each other. Paths are those that Envoy sees. */
export type AdsIdentity = {
  /** Where `tls.crt`, `tls.key` and `ca.crt` are: a mounted Secret, which may change while Envoy runs. */
  readonly secretFolder: string;
  /** Where the files of `adsIdentityFiles` are. */
  readonly configFolder: string;
  /** The name that the operator's certificate has to have. */
  readonly serverName: string;
};

const identityName = "identity";
const trustName = "trust";

/** What Envoy reads beside its bootstrap, by file name: certificates are read anew when they change only if they come as secrets. */
export function adsIdentityFiles({ secretFolder, serverName }: AdsIdentity): Readonly<Record<string, JsonObject>> {
  const watchedDirectory = { path: secretFolder };
  const file = (name: string): Init<typeof DataSourceSchema> => ({
    specifier: { case: "filename", value: `${secretFolder}/${name}` },
  });
  const identity: Init<typeof SecretSchema> = {
    name: identityName,
    type: {
      case: "tlsCertificate",
      value: { certificateChain: file("tls.crt"), privateKey: file("tls.key"), watchedDirectory },
    },
  };
  const trust: Init<typeof SecretSchema> = {
    name: trustName,
    type: {
      case: "validationContext",
      value: {
        trustedCa: file("ca.crt"),
        watchedDirectory,
        matchTypedSubjectAltNames: [
          {
            sanType: SubjectAltNameMatcher_SanType.DNS,
            matcher: { matchPattern: { case: "exact", value: serverName } },
          },
        ],
      },
    },
  };
  return { [fileOf(identityName)]: secretFile(identity), [fileOf(trustName)]: secretFile(trust) };
}

const fileOf = (secret: string): string => `${secret}.json`;

function secretFile(secret: Init<typeof SecretSchema>): JsonObject {
  const response = create(DiscoveryResponseSchema, { resources: [create(AnySchema, packAny(SecretSchema, secret))] });
  return readableMessage(messageToJson(DiscoveryResponseSchema, response));
}

/** TLS from a proxy to the operator. */
export function adsTransportSocket({ configFolder, serverName }: AdsIdentity) {
  const secret = (name: string): Init<typeof SdsSecretConfigSchema> => ({
    name,
    sdsConfig: {
      configSourceSpecifier: {
        case: "pathConfigSource",
        value: { path: `${configFolder}/${fileOf(name)}`, watchedDirectory: { path: configFolder } },
      },
    },
  });
  const context = packAny(UpstreamTlsContextSchema, {
    sni: serverName,
    commonTlsContext: {
      alpnProtocols: ["h2"],
      tlsParams: {
        tlsMinimumProtocolVersion: TlsParameters_TlsProtocol.TLSv1_3,
        tlsMaximumProtocolVersion: TlsParameters_TlsProtocol.TLSv1_3,
      },
      tlsCertificateSdsSecretConfigs: [secret(identityName)],
      validationContextType: { case: "validationContextSdsSecretConfig", value: secret(trustName) },
    },
  });
  return { name: "envoy.transport_sockets.tls", configType: { case: "typedConfig", value: context } } as const;
}
