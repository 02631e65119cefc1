import { isCidr, isIpv4, isIpv6, isMac } from "./addresses.ts";
import { compilePattern } from "./regexp/index.ts";
import type { Schema } from "./schema.ts";

export type Format = (text: string) => boolean;

/**
 * What the API server checks of a string by its `format` (k8s.io/kube-openapi/pkg/validation/strfmt). Formats that it
 * knows and nobody in this field uses (`isbn`, `creditcard`, `ssn`, `rgbcolor`, `bsonobjectid`) are taken as annotations,
 * as it takes those that it does not know.
 */
export function formatOf(name: string): Format | undefined {
  return formats.get(name.replaceAll("-", ""));
}

/** The format, where the API server heeds it for this type. */
export function heededFormat({ type, format }: Schema): string | undefined {
  if (format === undefined) return undefined;
  const isHeeded =
    type === undefined || type === "string"
      ? formatOf(format) !== undefined
      : (numberFormats[type] ?? []).includes(format);
  return isHeeded ? format : undefined;
}

const numberFormats: Readonly<Record<string, readonly string[]>> = {
  integer: ["int32", "int64"],
  number: ["float", "double"],
};

const uuid = (pattern: RegExp): Format => pattern.test.bind(pattern);

const formats: ReadonlyMap<string, Format> = new Map<string, Format>([
  ["byte", isBase64],
  ["cidr", isCidr],
  ["date", isDate],
  ["datetime", isDateTime],
  ["duration", isDuration],
  ["email", isEmail],
  ["hexcolor", (text) => /^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text)],
  ["hostname", isHostname],
  ["ipv4", isIpv4],
  ["ipv6", isIpv6],
  ["k8slongname", (text) => text.length <= 253 && text.split(".").every(isName)],
  ["k8sshortname", (text) => text.length <= 63 && isName(text)],
  ["mac", isMac],
  ["password", () => true],
  ["uri", isRequestUri],
  ["uuid", uuid(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ["uuid3", uuid(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ["uuid4", uuid(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ["uuid5", uuid(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
]);

function isName(text: string): boolean {
  return /^[a-z0-9-]+$/.test(text) && !text.startsWith("-") && !text.endsWith("-");
}

function isBase64(text: string): boolean {
  if (text.length === 0 || text.length % 4 !== 0) return false;
  return /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

function isDate(text: string): boolean {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (parts === null) return false;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  if (month < 1 || month > 12 || day < 1) return false;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
  return day <= days;
}

function isDateTime(text: string): boolean {
  const [date = "", time] = text.toLowerCase().split("t");
  if (time === undefined || !isDate(date)) return false;
  const parts = /^([0-9]{2}):([0-9]{2}):([0-9]{2})([^\n][0-9]+)?(z|[+-][0-9]{2}:[0-9]{2})$/.exec(time);
  if (parts === null) return false;
  return Number(parts[1]) <= 23 && Number(parts[2]) <= 59 && Number(parts[3]) <= 59;
}

const durationUnits = /^(ns|nano|us|µs|micro|ms|milli|s$|sec|m$|min|h$|hr$|hour|d$|day|w$|wk$|week)/i;

/** Go's durations (`1h30m`, `-1.5s`), and a number with a unit in words anywhere in the text. */
function isDuration(text: string): boolean {
  if (/^[-+]?(0|((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)$/.test(text)) return true;
  return Array.from(text.matchAll(/\d+[\t\n\f\r ]*([A-Za-zµ]+)/g)).some((match) => durationUnits.test(match[1] ?? ""));
}

function isEmail(text: string): boolean {
  const address = /^[^<>]*<([^<>]+)>$/.exec(text.trim())?.[1] ?? text;
  const at = address.lastIndexOf("@");
  return at > 0 && at < address.length - 1 && !/[\s<>,;:()[\]\\]/.test(address.slice(0, at).replace(/^".*"$/, ""));
}

// The API server's own expression, oddities included: a single label has at most one dash, in second place.
const hostname = compilePattern(
  String.raw`^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$`,
);

function isHostname(text: string): boolean {
  return text.length <= 255 && hostname.test(text) && text.split(".").every((label) => label.length <= 63);
}

/** An absolute URI or an absolute path, as Go's `url.ParseRequestURI` takes them. */
function isRequestUri(text: string): boolean {
  if (/\p{Cc}/u.test(text) || /%(?![0-9A-Fa-f]{2})/.test(text)) return false;
  if (text.startsWith("/") || text === "*") return true;
  const [, rest] = /^[A-Za-z][A-Za-z0-9+.-]*:(.*)$/.exec(text) ?? [];
  if (rest === undefined) return false;
  const [, authority] = /^\/\/([^/?#]*)/.exec(rest) ?? [];
  if (authority === undefined) return true;
  const port = /:([^:\]]*)$/.exec(authority)?.[1] ?? "";
  return !/[\s<>"]/.test(authority) && /^\d*$/.test(port);
}
