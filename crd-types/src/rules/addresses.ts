import { type CelFunc, celFunc, type CelMap, celMap, celMethod, CelScalar, mapType } from "@bufbuild/cel";

const { BOOL, DYN, INT, STRING } = CelScalar;

type Address = { readonly family: 4 | 6; readonly bits: bigint };
/** An address alone is a network of that one address. */
type Network = { readonly address: Address; readonly prefix: number };

const widthOf = (family: 4 | 6): number => (family === 4 ? 32 : 128);
const joined = (parts: readonly number[], width: bigint): bigint =>
  parts.reduce((bits, part) => (bits << width) | BigInt(part), 0n);

/** As Kubernetes takes them: without zones, leading zeros and IPv4 in the guise of IPv6. */
function parseAddress(text: string): Address | undefined {
  if (/^(?:(?:0|[1-9]\d{0,2})\.){3}(?:0|[1-9]\d{0,2})$/.test(text)) {
    const parts = text.split(".").map(Number);
    return parts.every((part) => part <= 255) ? { family: 4, bits: joined(parts, 8n) } : undefined;
  }
  if (!/^[0-9a-fA-F:]+(?:\.[0-9.]+)?$/.test(text) || !text.includes(":")) return undefined;
  const groups = groupsOf(text);
  const bits = groups === undefined ? undefined : joined(groups, 16n);
  return bits === undefined || bits >> 32n === 0xffffn ? undefined : { family: 6, bits };
}

/** The eight groups of an IPv6 address. */
function groupsOf(text: string): readonly number[] | undefined {
  const cut = text.lastIndexOf(":") + 1;
  const four = text.includes(".") ? parseAddress(text.slice(cut)) : undefined;
  if (text.includes(".") && four === undefined) return undefined;
  const plain =
    four === undefined
      ? text
      : `${text.slice(0, cut)}${(four.bits >> 16n).toString(16)}:${(four.bits & 0xffffn).toString(16)}`;
  const halves = plain.split("::").map((half) => (half === "" ? [] : half.split(":")));
  if (halves.length > 2 || !halves.flat().every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return undefined;
  const [first = [], second] = halves.map((half) => half.map((group) => Number.parseInt(group, 16)));
  if (second === undefined) return first.length === 8 ? first : undefined;
  const missing = 8 - first.length - second.length;
  return missing < 1 ? undefined : [...first, ...Array<number>(missing).fill(0), ...second];
}

function parseNetwork(text: string): Network | undefined {
  const [, host = "", length = ""] = /^(.*)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  const address = parseAddress(host);
  const prefix = Number(length);
  return address === undefined || prefix > widthOf(address.family) ? undefined : { address, prefix };
}

function masked({ address, prefix }: Network): Network {
  const rest = BigInt(widthOf(address.family) - prefix);
  return { prefix, address: { ...address, bits: (address.bits >> rest) << rest } };
}

const contains = (network: Network, { address, prefix }: Network): boolean =>
  network.address.family === address.family &&
  network.prefix <= prefix &&
  masked(network).address.bits === masked({ address, prefix: network.prefix }).address.bits;

/** How CEL holds them: maps, which are equal where all that they hold is. It has no integers of 128 bits. */
const record = mapType(STRING, DYN);

const recordOf = ({ address: { family, bits }, prefix }: Network): CelMap =>
  celMap(
    new Map<string, bigint | string>([
      ["family", BigInt(family)],
      ["bits", bits.toString()],
      ["prefix", BigInt(prefix)],
    ]),
  );

const networkOf = (value: { get(key: string): unknown }): Network => ({
  address: { family: value.get("family") === 4n ? 4 : 6, bits: BigInt(String(value.get("bits"))) },
  prefix: Number(value.get("prefix")),
});

function addressAt(text: string): Network {
  const address = parseAddress(text);
  if (address === undefined) throw new Error(`IP Address ${JSON.stringify(text)} parse error`);
  return { address, prefix: widthOf(address.family) };
}

function networkAt(text: string): Network {
  const network = parseNetwork(text);
  if (network === undefined) throw new Error(`network address parse error: ${JSON.stringify(text)}`);
  return network;
}

/** https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-ip-address-library and, after it, that of networks. */
export const addressFunctions: readonly CelFunc[] = [
  celFunc("isIP", [STRING], BOOL, (text) => parseAddress(text) !== undefined),
  celFunc("isCIDR", [STRING], BOOL, (text) => parseNetwork(text) !== undefined),
  celFunc("ip", [STRING], record, (text) => recordOf(addressAt(text))),
  celFunc("cidr", [STRING], record, (text) => recordOf(networkAt(text))),
  celMethod("family", record, [], INT, function family() {
    return BigInt(networkOf(this).address.family);
  }),
  celMethod("masked", record, [], record, function mask() {
    return recordOf(masked(networkOf(this)));
  }),
  celMethod("prefixLength", record, [], INT, function prefixLength() {
    return BigInt(networkOf(this).prefix);
  }),
  celMethod("ip", record, [], record, function ip() {
    const { address } = networkOf(this);
    return recordOf({ address, prefix: widthOf(address.family) });
  }),
  ...["containsIP", "containsCIDR"].flatMap((name) => [
    celMethod(name, record, [STRING], BOOL, function containsText(text) {
      return contains(networkOf(this), name === "containsIP" ? addressAt(text) : networkAt(text));
    }),
    celMethod(name, record, [record], BOOL, function containsRecord(other) {
      return contains(networkOf(this), networkOf(other));
    }),
  ]),
];
