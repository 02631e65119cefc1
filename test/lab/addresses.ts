/**
 * Addresses of the lab, all of the range for tests of networks (https://www.rfc-editor.org/rfc/rfc2544). They exist only in the
 * lab's network namespace, which has no way out, so that several labs and whatever this host is connected to never meet.
 */
export const addresses = {
  /** The node, the API server, the cluster's DNS, and the gateway of all pods. */
  node: "198.18.0.1",
  apiServerPort: 6443,
  pods: "198.18.0.0/20",
  services: "198.19.0.0/17",
  /** The Service `kubernetes`: the first of the Services. */
  apiServerService: "198.19.0.1",
  balancers: "198.19.128.0/17",
  /** Of the balancers' range, high enough that it is never given by itself: for Gateways that ask for a certain address. */
  usable: "198.19.250.1",
} as const;
