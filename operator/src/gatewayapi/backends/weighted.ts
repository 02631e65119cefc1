import type { EndpointAddress } from "../../ir/index.ts";
import type { WeightedCluster } from "../views.ts";

/** So that a backend's weight is shared by many endpoints without being lost to rounding; 16 of the largest still fit 32 bits. */
const scale = 100;

/** Port 9 of the proxy itself, where by convention and in fact nobody answers: what goes there is lost. */
const discard = { address: "127.0.0.1", port: 9 };

/** The endpoints of all backends, with weights that give each backend its share whatever the number of its endpoints. */
export function weighAddresses(
  { shares, failingWeight }: WeightedCluster,
  addressesOf: (cluster: string) => readonly EndpointAddress[] | undefined,
): readonly EndpointAddress[] {
  const weighed = shares.flatMap(({ cluster, weight }) => {
    const addresses = addressesOf(cluster) ?? [];
    return addresses.map(({ address, port }) => ({
      address,
      port,
      weight: Math.max(1, Math.round((weight * scale) / addresses.length)),
    }));
  });
  return failingWeight === 0 ? weighed : [...weighed, { ...discard, weight: failingWeight * scale }];
}
