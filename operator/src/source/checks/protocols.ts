/** Of ports of Services and of EndpointSlices. */
export const protocols: readonly string[] = ["SCTP", "TCP", "UDP"];
