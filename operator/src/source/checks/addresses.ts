import { isIPv4, isIPv6 } from "node:net";
import type { Path } from "@gatewright/crd-types/schema";
import { type Fault, invalid, required } from "./fault.ts";
import { labelFaults, subdomainFaults } from "./names.ts";

/** What is wrong with a text that must be an IP address. */
export function addressFaults(address: string, path: Path): readonly Fault[] {
  const isZeroed = /^\d+(\.\d+){3}$/.test(address) && isIPv4(address.replaceAll(/\b0+(?=\d)/g, ""));
  if (isZeroed && !isIPv4(address)) return [invalid(path, address, "must not have leading 0s")];
  if (!isIPv4(address) && (!isIPv6(address) || address.includes("%")))
    return [invalid(path, address, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")];
  return isIPv6(address) && canonical(address).startsWith("::ffff:")
    ? [invalid(path, address, "must not be an IPv4-mapped IPv6 address")]
    : [];
}

/** https://www.rfc-editor.org/rfc/rfc5952, as URLs are written. */
const canonical = (address: string): string => new URL(`http://[${address}]`).hostname.slice(1, -1);

/**
 * What is wrong with the address of an endpoint. The API server refuses loopback addresses too; on one machine they are what everybody
 * has, and so they pass here.
 */
export function endpointAddressFaults(type: unknown, address: string, list: Path, index: number): readonly Fault[] {
  const path = [...list, index];
  if (type === "FQDN") return domainFaults(address, path);
  const faults = addressFaults(address, path);
  if (faults.length > 0) return faults;
  const isV4 = isIPv4(address);
  if (type === "IPv4" && !isV4) return [invalid(list, address, "must be an IPv4 address")];
  if (type === "IPv6" && isV4) return [invalid(list, address, "must be an IPv6 address")];
  if (type === "IPv6" && canonical(address) !== address)
    return [invalid(path, address, `must be in canonical form ("${canonical(address)}")`)];
  return specialFaults(address, path);
}

export function specialFaults(address: string, path: Path): readonly Fault[] {
  const plain = address.toLowerCase();
  if (plain === "0.0.0.0" || /^[0:]+$/.test(plain))
    return [invalid(path, address, `may not be unspecified (${address})`)];
  if (plain.startsWith("169.254.") || /^fe[89ab][0-9a-f]:/.test(plain))
    return [invalid(path, address, "may not be in the link-local range (169.254.0.0/16, fe80::/10)")];
  if (plain.startsWith("224.0.0.") || /^ff[0-9a-f]2:/.test(plain))
    return [invalid(path, address, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)")];
  return [];
}

function domainFaults(address: string, path: Path): readonly Fault[] {
  if (address === "") return [required(path)];
  const name = address.replace(/\.$/, "");
  const faults = subdomainFaults(name);
  if (faults.length > 0) return [invalid(path, name, faults.join(","))];
  const labels = name.split(".");
  if (labels.length < 2)
    return [invalid(path, name, "should be a domain with at least two segments separated by dots")];
  return labels.flatMap((label) => labelFaults(label).map((fault) => invalid(path, label, fault))).slice(0, 1);
}
