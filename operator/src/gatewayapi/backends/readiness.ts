import type { Endpoint } from "@gatewright/crd-types/discovery/v1";

/** An unknown condition counts as ready, as the API says. */
export const isReady = ({ conditions }: Endpoint): boolean =>
  conditions?.ready !== false && conditions?.terminating !== true;

/** On its way out but still answering: what is left where nothing is ready. https://kep.k8s.io/1669 */
export const isDraining = ({ conditions }: Endpoint): boolean =>
  conditions?.terminating === true && (conditions.serving ?? conditions.ready ?? true);
