import type { Path } from "@gatewright/crd-types/schema";
import { type Fields, fieldsOf, isFields, textOf } from "../../lib/index.ts";
import { decodeBase64 } from "./base64.ts";
import { type Fault, faultAt, invalid, required, tooLong } from "./fault.ts";
import { dataKeyFaults } from "./names.ts";

/** An object as the API server stores it, and what it says of what it cannot store. */
export type Completed = { readonly object: Fields; readonly faults: readonly Fault[] };

const maxDataBytes = 1024 * 1024;

/** `stringData` is written into `data`, whose base64 is written anew, as the API server does. */
export function completeSecret({ stringData, ...secret }: Fields): Completed {
  const { bytes, faults } = readBytes(secret["data"], ["data"]);
  const texts = Object.entries(fieldsOf(stringData));
  const wrong = texts.filter(([, text]) => typeof text !== "string" && text !== null);
  const merged = {
    ...bytes,
    ...Object.fromEntries(texts.map(([key, text]) => [key, Buffer.from(textOf(text)).toString("base64")])),
  };
  const given = secret["data"] ?? {};
  const isOdd = stringData !== undefined && stringData !== null && !isFields(stringData);
  return {
    object: {
      ...secret,
      ...(Object.keys(merged).length === 0 || !isFields(given) ? {} : { data: merged }),
      // The schema says what is wrong with it.
      ...(wrong.length === 0 ? (isOdd ? { stringData } : {}) : { stringData: Object.fromEntries(wrong) }),
    },
    faults,
  };
}

export function completeConfigMap(configMap: Fields): Completed {
  const { bytes, faults } = readBytes(configMap["binaryData"], ["binaryData"]);
  return {
    object: Object.keys(bytes).length === 0 ? configMap : { ...configMap, binaryData: bytes },
    faults,
  };
}

/** Values that are no texts are left as they are, for the schema to refuse. */
function readBytes(data: unknown, path: Path): { readonly bytes: Fields; readonly faults: readonly Fault[] } {
  const faults: Fault[] = [];
  const bytes = Object.entries(fieldsOf(data)).map(([key, text]): [string, unknown] => {
    if (text === null) return [key, ""];
    if (typeof text !== "string") return [key, text];
    const decoded = decodeBase64(text);
    if (decoded.kind === "bytes") return [key, decoded.bytes.toString("base64")];
    // Never the text itself: it may be a private key.
    faults.push(faultAt([...path, key], `illegal base64 data at input byte ${decoded.failedAt}${hint(text)}`));
    return [key, text];
  });
  return { bytes: Object.fromEntries(bytes), faults };
}

function hint(text: string): string {
  if (text.includes("-----BEGIN")) return " (this is plain text: put it under stringData, or encode it)";
  if (/\s/.test(text.replaceAll(/[\r\n]/g, ""))) return " (there are blanks in it)";
  return "";
}

export function secretFaults(secret: Fields): readonly Fault[] {
  const data = fieldsOf(secret["data"]);
  return [
    ...Object.keys(data).flatMap((key) => keyFaults(["data"], key)),
    ...(sizeOf(data, "base64") > maxDataBytes ? [tooLong(["data"], maxDataBytes)] : []),
    ...missingKeys(secret, data),
  ];
}

/** What Secrets of well-known types must have. https://kubernetes.io/docs/concepts/configuration/secret/#secret-types */
function missingKeys({ type, metadata }: Fields, data: Fields): readonly Fault[] {
  const lacking = (...keys: readonly string[]) => keys.filter((key) => !Object.hasOwn(data, key)).map(requiredKey);
  switch (type) {
    case "kubernetes.io/tls":
      return lacking("tls.crt", "tls.key");
    case "kubernetes.io/basic-auth":
      return "username" in data || "password" in data ? [] : lacking("username", "password");
    case "kubernetes.io/ssh-auth":
      return textOf(data["ssh-privatekey"]) === "" ? [requiredKey("ssh-privatekey")] : [];
    case "kubernetes.io/dockercfg":
      return lacking(".dockercfg");
    case "kubernetes.io/dockerconfigjson":
      return lacking(".dockerconfigjson");
    case "kubernetes.io/service-account-token": {
      const name = "kubernetes.io/service-account.name";
      const has = textOf(fieldsOf(fieldsOf(metadata)["annotations"])[name]) !== "";
      return has
        ? []
        : [{ path: ["metadata", "annotations"], message: `metadata.annotations[${name}]: Required value` }];
    }
    default:
      return [];
  }
}

const requiredKey = (key: string): Fault => ({ ...required(["data", key]), message: `data[${key}]: Required value` });

export function configMapFaults(configMap: Fields): readonly Fault[] {
  const data = fieldsOf(configMap["data"]);
  const binary = fieldsOf(configMap["binaryData"]);
  return [
    ...Object.keys(data).flatMap((key) => [
      ...keyFaults(["data"], key),
      ...(key in binary ? [keyFault(["data"], key, "duplicate of key present in binaryData")] : []),
    ]),
    ...Object.keys(binary).flatMap((key) => keyFaults(["binaryData"], key)),
    ...(sizeOf(data, "utf8") + sizeOf(binary, "base64") > maxDataBytes ? [tooLong(["data"], maxDataBytes)] : []),
  ];
}

const keyFaults = (path: readonly string[], key: string): readonly Fault[] =>
  dataKeyFaults(key).map((fault) => keyFault(path, key, fault));

const keyFault = (path: readonly string[], key: string, fault: string): Fault => ({
  path: [...path, key],
  message: invalid([`${path.join(".")}[${key}]`], key, fault).message,
});

const sizeOf = (data: Fields, encoding: "utf8" | "base64"): number =>
  Object.values(data).reduce((sum: number, text) => sum + Buffer.byteLength(textOf(text), encoding), 0);
