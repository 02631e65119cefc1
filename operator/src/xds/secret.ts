import { create } from "@bufbuild/protobuf";
import { SecretSchema } from "@gatewright/crd-types/proto/envoy/extensions/transport_sockets/tls/v3/secret_pb";
import type { TlsCertificate } from "../ir/index.ts";
import { type Build, encodeChecked } from "./resource.ts";

/** One resource a Secret, so that a bad one spoils no other. */
export function buildSecret({ name, certificateChain, privateKey }: TlsCertificate): Build {
  const message = create(SecretSchema, {
    name,
    type: {
      case: "tlsCertificate",
      value: {
        certificateChain: { specifier: { case: "inlineString", value: certificateChain } },
        privateKey: { specifier: { case: "inlineString", value: privateKey.reveal() } },
      },
    },
  });
  return encodeChecked(SecretSchema, message, { type: "secret", resource: name });
}
