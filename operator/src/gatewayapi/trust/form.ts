import type { X509Certificate } from "node:crypto";
import { type DerElement, derElements } from "../../lib/index.ts";

// Envoy reads certificates by BoringSSL, which is stricter than the OpenSSL of Node. What it cannot read it refuses with all that stands
// beside it; whoever names that waits for ever. Tried with Envoy 1.40.0. https://www.rfc-editor.org/rfc/rfc5280#section-4.1

/** Why Envoy would not take a certificate that was read here, or undefined. */
export function formProblem({ raw }: X509Certificate): string | undefined {
  const [certificate] = derElements(raw);
  const [toBeSigned] = derElements(certificate?.content);
  const fields = derElements(toBeSigned?.content);
  if (fields.length <= validityIndex) return "is not in DER";
  const version = versionOf(fields);
  if (version > 3) return "is of an unknown version";
  if (version < 3 && fields.some(({ tag }) => tag === extensionsTag))
    return `is of version ${version} and has extensions`;
  const validity = fields[(fields[0]?.tag === versionTag ? 1 : 0) + validityIndex];
  return derElements(validity?.content).every(isTime) ? undefined : "has a date that is none";
}

const versionTag = 0xa0;
const extensionsTag = 0xa3;
/** After the serial number, the algorithm and the issuer. */
const validityIndex = 3;

/** Counted from one, as people do. */
function versionOf([first]: readonly DerElement[]): number {
  if (first?.tag !== versionTag) return 1;
  const [number] = derElements(first.content);
  return number?.content.length === 1 ? number.content.readUInt8(0) + 1 : Number.POSITIVE_INFINITY;
}

const utcTimeTag = 0x17;
const utcTime = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(Z|[+-]\d{4})$/;
const generalizedTime = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/;

function isTime({ tag, content }: DerElement): boolean {
  const parts = (tag === utcTimeTag ? utcTime : generalizedTime).exec(content.toString("latin1"));
  if (parts === null) return false;
  const [year = 0, month = 0, day = 0, hours = 0, minutes = 0, seconds = 0] = parts.slice(1, 7).map(Number);
  const century = tag === utcTimeTag ? (year < 50 ? 2000 : 1900) : 0;
  const date = new Date(Date.UTC(century + year, month - 1, day, hours, minutes, seconds));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hours < 24 && minutes < 60 && seconds < 60;
}
