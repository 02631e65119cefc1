import {
  type Gateway,
  GatewayAddressRoutabilityCluster,
  GatewayAddressRoutabilityDefault,
  GatewayReasonUnsupportedAddress,
  type GatewaySpecAddress,
  HostnameAddressType,
  IPAddressType,
} from "@gatewright/crd-types/gateway/v1";
import type { RequestedAddress } from "../../ir/index.ts";
import type { Problem } from "../conditions.ts";
import type { PlacedAddress, Placement } from "../inputs.ts";
import { listed } from "../messages.ts";

/**
 * Promises nothing, and is reported as it was asked for: tests of conformance look by it whether routability is reported at all.
 * https://gateway-api.sigs.k8s.io/geps/gep-5093/#well-known-values
 */
const sentinel = "testing.x-k8s.io/sentinel";

/** What an entry of `spec.addresses` asks for. */
export type AddressRequest =
  | (RequestedAddress & {
      readonly kind: "supported";
      /** As it is reported of the address that the entry gets; undefined: as it is. */
      readonly reported?: string;
    })
  /** `why` in words: no address is ever such. */
  | { readonly kind: "unsupported"; readonly why: string };

/** An address of a type that no placement can have. Of a Gateway that asks for one, nothing is taken. */
export function unsupportedAddress({ addresses = [] }: Gateway["spec"]): Problem | undefined {
  const bad = addresses.flatMap(({ type = IPAddressType, value = "" }) =>
    isType(type) ? [] : [`type ${type}${value === "" ? "" : ` of ${value}`} is not supported`],
  );
  return bad.length === 0
    ? undefined
    : { reason: GatewayReasonUnsupportedAddress, message: `spec.addresses: ${listed(bad, "; ")}` };
}

export function addressRequest({
  type = IPAddressType,
  value = "",
  routability = "",
}: GatewaySpecAddress): AddressRequest {
  if (!isType(type)) return { kind: "unsupported", why: `type ${type} is not supported` };
  switch (routability) {
    case GatewayAddressRoutabilityDefault:
      return { kind: "supported", type, value, routability: "" };
    case sentinel:
      return { kind: "supported", type, value, routability: "", reported: sentinel };
    case GatewayAddressRoutabilityCluster:
      return type === HostnameAddressType
        ? { kind: "unsupported", why: "only IP addresses can be had inside of the cluster" }
        : { kind: "supported", type, value, routability: "Cluster" };
    default:
      return { kind: "unsupported", why: "this routability is not supported" };
  }
}

/** What can be had in a cluster of what a Gateway asks for; undefined: it asks for nothing. */
export function requestedAddresses({ addresses = [] }: Gateway["spec"]): readonly RequestedAddress[] | undefined {
  if (addresses.length === 0) return undefined;
  return addresses.flatMap((entry) => {
    const request = addressRequest(entry);
    if (request.kind === "unsupported") return [];
    const { type, value, routability } = request;
    return [{ type, value, routability }];
  });
}

/**
 * The addresses of a Gateway of which nobody knows where it will stand, as if it were given all that can be had. `any` stands for the first
 * that no value is asked for.
 */
export function assumedAddresses(
  { addresses: entries = [] }: Gateway["spec"],
  any: string,
): Required<Pick<Placement, "addresses" | "furtherAddresses">> {
  const addresses: PlacedAddress[] = entries.length === 0 ? [{ type: IPAddressType, value: any }] : [];
  const furtherAddresses: PlacedAddress[] = [];
  for (const [index, entry] of entries.entries()) {
    const request = addressRequest(entry);
    if (request.kind === "unsupported") continue;
    const { type, value, routability } = request;
    if (routability === "Cluster") furtherAddresses.push({ type, value: value || `assumed-${index}`, routability });
    else if (type === HostnameAddressType) addresses.push({ type, value: value || `assumed-${index}` });
    else {
      const isFirst = addresses.every((address) => address.value !== any);
      addresses.push({ type, value: value || (isFirst ? any : `assumed-${index}`) });
    }
  }
  return { addresses, furtherAddresses };
}

const isType = (type: string): type is RequestedAddress["type"] =>
  type === IPAddressType || type === HostnameAddressType;
