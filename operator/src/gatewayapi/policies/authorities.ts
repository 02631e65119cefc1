import { X509Certificate } from "node:crypto";
import type { ConfigMap, Secret } from "@gatewright/crd-types/core/v1";
import {
  BackendTLSPolicyReasonInvalidCACertificateRef,
  BackendTLSPolicyReasonInvalidKind,
  type LocalObjectReference,
} from "@gatewright/crd-types/gateway/v1";
import type { Table } from "../../lib/index.ts";
import { objectKey } from "../../store/index.ts";
import type { Problem } from "../conditions.ts";
import { parsePem } from "../gateway/index.ts";
import { formatKind } from "../messages.ts";

export type Authorities = {
  /** The certificates that could be read, in PEM; empty where there are none. */
  readonly bundle: string;
  readonly problems: readonly Problem[];
};

type Objects = { readonly ConfigMap: Table<ConfigMap>; readonly Secret: Table<Secret> };

const field = "ca.crt";

/** Follows references to certificates of authorities: those of ConfigMaps, and of Secrets. Good ones count beside bad ones. */
export function readAuthorities(
  namespace: string,
  refs: readonly LocalObjectReference[],
  { ConfigMap, Secret }: Objects,
): Authorities {
  const problems: Problem[] = [];
  const blocks = refs.flatMap(({ group, kind, name }) => {
    const key = objectKey(namespace, name);
    const refuse = (reason: string, message: string): readonly string[] => {
      problems.push({ reason, message: `${formatKind({ group, kind })} ${key} ${message}` });
      return [];
    };
    if (group !== "" || (kind !== "ConfigMap" && kind !== "Secret"))
      return refuse(BackendTLSPolicyReasonInvalidKind, "is neither a ConfigMap nor a Secret");
    const text = kind === "ConfigMap" ? ConfigMap.get(key)?.data?.[field] : textOf(Secret.get(key));
    if (text === undefined)
      return refuse(BackendTLSPolicyReasonInvalidCACertificateRef, `does not exist or has no ${field}`);
    const certificates = readCertificates(text);
    return (
      certificates ?? refuse(BackendTLSPolicyReasonInvalidCACertificateRef, `has no certificates in PEM in ${field}`)
    );
  });
  return { bundle: [...new Set(blocks)].join(""), problems };
}

function textOf(secret: Secret | undefined): string | undefined {
  const encoded = secret?.data?.[field];
  return (
    secret?.stringData?.[field] ??
    (encoded === undefined ? undefined : Buffer.from(encoded, "base64").toString("latin1"))
  );
}

/** Undefined: there is none, or one of them cannot be read. Written anew, so that Envoy reads nothing that was not read here. */
function readCertificates(text: string): readonly string[] | undefined {
  const blocks = parsePem(text)?.filter(({ label }) => label === "CERTIFICATE") ?? [];
  try {
    return blocks.length === 0 ? undefined : blocks.map((block) => new X509Certificate(block.text).toString());
  } catch {
    return undefined;
  }
}
