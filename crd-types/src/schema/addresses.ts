// IP addresses as Go's net package reads them (Kubernetes still takes leading zeros in IPv4).

function isIpv4Text(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^\d+$/.test(part) && part.length < 9 && Number(part) <= 255);
}

function isIpv6Text(text: string): boolean {
  const lastColon = text.lastIndexOf(":");
  const tail = text.slice(lastColon + 1);
  const hasIpv4 = tail.includes(".");
  // Inside IPv6 Go refuses leading zeros of the IPv4 part.
  if (hasIpv4 && !(isIpv4Text(tail) && tail.split(".").every((part) => part === "0" || !part.startsWith("0"))))
    return false;
  const plain = hasIpv4 ? `${text.slice(0, lastColon + 1)}0:0` : text;
  const halves = plain.split("::");
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")));
  if (!groups.every((group) => /^[0-9A-Fa-f]{1,4}$/.test(group))) return false;
  return halves.length === 2 ? groups.length < 8 : groups.length === 8;
}

export const isIpv4 = (text: string): boolean => isIpv4Text(text) || (text.includes(".") && isIpv6(text));

export const isIpv6 = (text: string): boolean => text.includes(":") && isIpv6Text(text);

export function isCidr(text: string): boolean {
  const slash = text.indexOf("/");
  const address = text.slice(0, slash);
  const bits = text.slice(slash + 1);
  if (slash === -1 || !/^\d{1,8}$/.test(bits)) return false;
  if (isIpv4Text(address)) return Number(bits) <= 32;
  return isIpv6(address) && Number(bits) <= 128;
}

/** Six, eight or twenty bytes, written `01:23:…`, `01-23-…` or `0123.4567.…`. */
export function isMac(text: string): boolean {
  const byColonOrDash = /^[0-9A-Fa-f]{2}(?:([:-])[0-9A-Fa-f]{2}(?:\1[0-9A-Fa-f]{2})*)$/.test(text);
  if (byColonOrDash) return [6, 8, 20].includes((text.length + 1) / 3);
  return /^[0-9A-Fa-f]{4}(?:\.[0-9A-Fa-f]{4})+$/.test(text) && [3, 4, 10].includes((text.length + 1) / 5);
}
