import { create } from "@bufbuild/protobuf";
import { SocketAddress_Protocol } from "@gatewright/crd-types/proto/envoy/config/core/v3/address_pb";
import {
  type Listener as Message,
  ListenerSchema,
} from "@gatewright/crd-types/proto/envoy/config/listener/v3/listener_pb";
import { RouteSchema } from "@gatewright/crd-types/proto/envoy/extensions/filters/udp/udp_proxy/v3/route_pb";
import { UdpProxyConfigSchema } from "@gatewright/crd-types/proto/envoy/extensions/filters/udp/udp_proxy/v3/udp_proxy_pb";
import type { Listener, UdpProxy } from "../ir/index.ts";
import { boundAddress } from "./bound-address.ts";
import { buildAccessLog } from "./access-log.ts";
import { packAny } from "./proto/index.ts";

/** No cluster has this name, and none can: Envoy drops what is sent there. */
const nowhere = "unresolved-backend";

/** Datagrams know no filter chains: one filter of the listener takes them all. */
export function buildUdpListener({ name, bind, accessLog }: Listener, { cluster = nowhere }: UdpProxy): Message {
  const action = { name: "route", typedConfig: packAny(RouteSchema, { cluster }) };
  const proxy = packAny(UdpProxyConfigSchema, {
    statPrefix: name,
    routeSpecifier: {
      case: "matcher",
      value: { onNoMatch: { onMatch: { case: "action", value: action } } },
    },
    accessLog: accessLog === undefined ? [] : [buildAccessLog(accessLog)],
  });
  return create(ListenerSchema, {
    name,
    statPrefix: name,
    address: boundAddress(bind, SocketAddress_Protocol.UDP),
    udpListenerConfig: {},
    listenerFilters: [
      { name: "envoy.filters.udp_listener.udp_proxy", configType: { case: "typedConfig", value: proxy } },
    ],
  });
}
