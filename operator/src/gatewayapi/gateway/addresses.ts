import {
  type Gateway,
  GatewayConditionAddressesAssigned,
  GatewayReasonAddressesAssigned,
  GatewayReasonAddressesNotAssigned,
  GatewayReasonAddressesPartiallyAssigned,
  GatewayReasonAddressNotAssigned,
  GatewayReasonAddressNotUsable,
  GatewayReasonUnsupportedAddress,
  type GatewaySpecAddress,
  HostnameAddressType,
  IPAddressType,
} from "@gatewright/crd-types/gateway/v1";
import { isFalse, isTrue, type Problem } from "../conditions.ts";
import type { Placement } from "../inputs.ts";
import { listed } from "../messages.ts";
import type { DesiredCondition } from "../views.ts";

const supportedTypes: readonly string[] = [IPAddressType, HostnameAddressType];

/** An address of a sort that no placement can have. */
export function unsupportedAddress({ addresses = [] }: Gateway["spec"]): Problem | undefined {
  const bad = addresses.flatMap(({ type = IPAddressType, value = "", routability = "" }) => {
    if (!supportedTypes.includes(type)) return [`type ${type}${value === "" ? "" : ` of ${value}`} is not supported`];
    return routability === "" ? [] : [`routability ${routability} is not supported`];
  });
  return bad.length === 0
    ? undefined
    : { reason: GatewayReasonUnsupportedAddress, message: `spec.addresses: ${listed(bad, "; ")}` };
}

export type AddressOutcome = {
  readonly condition: DesiredCondition;
  /** Why the Gateway is not programmed. */
  readonly problem?: Problem;
};

/** What became of the addresses that a Gateway asks for; undefined where it asks for none. */
export function addressOutcome(
  { addresses = [] }: Gateway["spec"],
  placement: Placement | undefined,
): AddressOutcome | undefined {
  if (addresses.length === 0) return undefined;
  const missing = addresses.filter((wanted) => !isAssigned(wanted, placement?.addresses ?? []));
  if (missing.length === 0)
    return { condition: isTrue(GatewayConditionAddressesAssigned, GatewayReasonAddressesAssigned) };
  const message = `not assigned: ${listed(missing.map(formatAddress))}`;
  const unusable = placement === undefined ? [] : missing.flatMap((wanted) => unusableWords(wanted, placement) ?? []);
  return {
    condition: isFalse(GatewayConditionAddressesAssigned, {
      reason:
        missing.length === addresses.length
          ? GatewayReasonAddressesNotAssigned
          : GatewayReasonAddressesPartiallyAssigned,
      message,
    }),
    problem:
      unusable.length > 0
        ? { reason: GatewayReasonAddressNotUsable, message: `cannot be used: ${listed(unusable)}` }
        : { reason: GatewayReasonAddressNotAssigned, message },
  };
}

/** As long as there are no addresses at all, one that was asked for may still come. */
function unusableWords(
  { value = "" }: GatewaySpecAddress,
  { addresses, unusableAddresses }: Placement,
): string | undefined {
  const words = unusableAddresses?.get(value);
  if (words !== undefined) return `${value} (${words})`;
  return value !== "" && addresses.length > 0 ? value : undefined;
}

/** One without a value asks for any of its type. */
const isAssigned = (
  { type = IPAddressType, value = "" }: GatewaySpecAddress,
  assigned: Placement["addresses"],
): boolean => assigned.some((address) => address.type === type && (value === "" || address.value === value));

const formatAddress = ({ type = IPAddressType, value = "" }: GatewaySpecAddress): string =>
  value === "" ? `any ${type}` : value;
