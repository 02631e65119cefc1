import {
  type Gateway,
  GatewayConditionAddressesAssigned,
  GatewayReasonAddressesAssigned,
  GatewayReasonAddressesNotAssigned,
  GatewayReasonAddressesPartiallyAssigned,
  GatewayReasonAddressNotAssigned,
  GatewayReasonAddressNotUsable,
  type GatewaySpecAddress,
  IPAddressType,
} from "@gatewright/crd-types/gateway/v1";
import { requestKey } from "../../ir/index.ts";
import { isFalse, isTrue, type Problem } from "../conditions.ts";
import type { PlacedAddress, Placement } from "../inputs.ts";
import { listed } from "../messages.ts";
import type { DesiredCondition } from "../views.ts";
import { type AddressRequest, addressRequest } from "./address-requests.ts";

/** An entry of `status.addresses`. */
export type StatusAddress = { readonly type: string; readonly value: string; readonly routability: string };

export type AddressOutcome = {
  readonly addresses: readonly StatusAddress[];
  /** Undefined: nothing can be said yet. */
  readonly condition?: DesiredCondition;
  /** Why the Gateway is not programmed. */
  readonly problem?: Problem;
};

/**
 * What became of the addresses that a Gateway asks for: each entry gets one address that no other entry gets, and no other address is
 * reported. https://gateway-api.sigs.k8s.io/geps/gep-5093/#spec-semantics
 */
export function addressOutcome(
  { addresses: entries = [] }: Gateway["spec"],
  placement: Placement | undefined,
): AddressOutcome {
  if (placement === undefined) return { addresses: [] };
  if (entries.length === 0) return usualOutcome(placement);
  const wants = entries.map((entry) => ({ entry, request: addressRequest(entry) }));
  const assigned = assign(
    wants.map(({ request }) => request),
    placement,
  );
  const addresses = wants.flatMap(({ request }, index) => {
    const address = assigned.get(index);
    return address === undefined ? [] : [statusAddress(address, request)];
  });
  const missing = wants.filter((_, index) => !assigned.has(index));
  if (missing.length === 0) return { addresses, condition: allAssigned };
  const words = `not assigned: ${listed(
    missing.map(({ entry, request }) => formatMissing(entry, reasonOf(entry, request, placement))),
    "; ",
  )}`;
  const isNone = addresses.length === 0;
  const unusable = missing.flatMap(({ entry, request }) => unusableStatic(entry, request, placement) ?? []);
  return {
    addresses,
    condition: isFalse(GatewayConditionAddressesAssigned, {
      reason: isNone ? GatewayReasonAddressesNotAssigned : GatewayReasonAddressesPartiallyAssigned,
      message: words,
    }),
    // With some of its addresses a Gateway is programmed (GEP-5093), unless a static one cannot be used (`GatewayStaticAddresses`): ADR 13.
    ...(isNone
      ? { problem: { reason: GatewayReasonAddressNotAssigned, message: words } }
      : unusable.length > 0 && {
          problem: { reason: GatewayReasonAddressNotUsable, message: `cannot be used: ${listed(unusable, "; ")}` },
        }),
  };
}

const allAssigned = isTrue(GatewayConditionAddressesAssigned, GatewayReasonAddressesAssigned);

/** Of a Gateway that asks for no address: it has all that there are. */
const usualOutcome = ({ addresses }: Placement): AddressOutcome => ({
  addresses: addresses.map((address) => statusAddress(address)),
  ...(addresses.length > 0 && { condition: allAssigned }),
});

const statusAddress = ({ type, value, routability }: PlacedAddress, request?: AddressRequest): StatusAddress => ({
  type,
  value,
  routability: (request?.kind === "supported" ? request.reported : undefined) ?? routability ?? "",
});

/** Who gets which address, by the place of the request. The choosiest choose first: what they can take is part of what others can. */
function assign(
  requests: readonly AddressRequest[],
  { addresses, furtherAddresses = [] }: Placement,
): ReadonlyMap<number, PlacedAddress> {
  const assigned = new Map<number, PlacedAddress>();
  const taken = new Set<string>();
  const places = requests.keys().toArray();
  for (const place of places.toSorted((left, right) => choiceOf(requests[left]) - choiceOf(requests[right]))) {
    const request = requests[place];
    if (request?.kind !== "supported") continue;
    const isCluster = request.routability === "Cluster";
    const found = (isCluster ? [...furtherAddresses, ...addresses] : addresses).find(
      (address) =>
        address.type === request.type &&
        (request.value === "" || address.value === request.value) &&
        (!isCluster || address.routability === "Cluster") &&
        !taken.has(requestKey({ type: address.type, value: address.value })),
    );
    if (found === undefined) continue;
    assigned.set(place, found);
    taken.add(requestKey({ type: found.type, value: found.value }));
  }
  return assigned;
}

function choiceOf(request: AddressRequest | undefined): number {
  if (request?.kind !== "supported") return 3;
  return request.value !== "" ? 0 : request.routability === "Cluster" ? 1 : 2;
}

const reasonOf = (entry: GatewaySpecAddress, request: AddressRequest, placement: Placement): string | undefined =>
  request.kind === "unsupported" ? request.why : placement.unusableAddresses?.get(requestKey(entry));

/** As long as there are no usual addresses at all, one that was asked for may still come. */
function unusableStatic(entry: GatewaySpecAddress, request: AddressRequest, placement: Placement): string | undefined {
  const { value = "" } = entry;
  if (value === "" || request.kind === "unsupported" || request.routability === "Cluster") return undefined;
  const words = reasonOf(entry, request, placement);
  if (words !== undefined) return `${value} (${words})`;
  return placement.addresses.length > 0 ? value : undefined;
}

function formatMissing(
  { type = IPAddressType, value = "", routability = "" }: GatewaySpecAddress,
  why?: string,
): string {
  const name = value === "" ? `any ${type}` : value;
  const scope = routability === "" ? "" : ` of routability ${routability}`;
  return `${name}${scope}${why === undefined ? "" : ` (${why})`}`;
}
