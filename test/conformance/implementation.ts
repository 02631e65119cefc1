// How a report names us: https://github.com/kubernetes-sigs/gateway-api/blob/main/conformance/reports/README.md

export const implementation = {
  organization: "gatewright",
  project: "gatewright",
  url: "https://gatewright.dev",
  contact: "@gatewright/maintainers",
} as const;

export const profiles = ["GATEWAY-HTTP", "GATEWAY-TLS", "GATEWAY-GRPC", "GATEWAY-TCP", "GATEWAY-UDP"] as const;

export const controllerName = "gatewright.dev/gateway-controller";

/** Where the operator runs. */
export const systemNamespace = "gatewright-system";
