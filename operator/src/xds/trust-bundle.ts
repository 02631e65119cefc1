import { hash } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import type { CertificateValidationContextSchema } from "@gatewright/crd-types/proto/envoy/extensions/transport_sockets/tls/v3/common_pb";
import { SecretSchema } from "@gatewright/crd-types/proto/envoy/extensions/transport_sockets/tls/v3/secret_pb";
import type { CommonTlsContextSchema } from "@gatewright/crd-types/proto/envoy/extensions/transport_sockets/tls/v3/tls_pb";
import { adsConfigSource } from "./config-source.ts";
import type { Init } from "./init.ts";
import { type Build, encodeChecked } from "./resource.ts";

const mark = "trust|";
const names = new Map<string, string>();
const maxNames = 256;

/**
 * The name of certificates of authorities as a resource of their own, however many trust them. It tells what is in it: who comes
 * to trust others is another filter chain or cluster to Envoy, which then lets go of the connections that the old one let in. No
 * Secret has a name with a bar.
 */
export function trustBundleName(pem: string): string {
  let name = names.get(pem);
  if (name === undefined) {
    if (names.size >= maxNames) names.clear();
    name = mark + hash("sha256", pem, "base64url");
    names.set(pem, name);
  }
  return name;
}

export function buildTrustBundle(name: string, pem: string): Build {
  const message = create(SecretSchema, {
    name,
    type: {
      case: "validationContext",
      value: { trustedCa: { specifier: { case: "inlineString", value: pem } } },
    },
  });
  return encodeChecked(SecretSchema, message, { type: "secret", resource: name });
}

/** The peer's certificate must come from these authorities, and keep to `rules` besides. */
export const validatedBy = (
  pem: string,
  rules: Init<typeof CertificateValidationContextSchema>,
): NonNullable<Init<typeof CommonTlsContextSchema>["validationContextType"]> => ({
  case: "combinedValidationContext",
  value: {
    defaultValidationContext: rules,
    validationContextSdsSecretConfig: { name: trustBundleName(pem), sdsConfig: adsConfigSource() },
  },
});
