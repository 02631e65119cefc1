import type { SocketAddress_Protocol } from "@gatewright/crd-types/proto/envoy/config/core/v3/address_pb";
import type { Binding } from "../ir/index.ts";

/** Where a listener binds. */
export const boundAddress = ({ address, port, ipv4Compat }: Binding, protocol?: SocketAddress_Protocol) =>
  ({
    address: {
      case: "socketAddress",
      value: {
        address,
        portSpecifier: { case: "portValue", value: port },
        ...(protocol !== undefined && { protocol }),
        ...(ipv4Compat && { ipv4Compat }),
      },
    },
  }) as const;
