import { create } from "@bufbuild/protobuf";
import type { Any } from "@bufbuild/protobuf/wkt";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { RouteConfigurationSchema } from "@gatewright/crd-types/proto/envoy/config/route/v3/route_pb";
import type { RouteTable } from "../../ir/index.ts";
import { adsConfigSource } from "../config-source.ts";
import { offConfig } from "../extension/index.ts";
import { encode, typeUrl } from "../proto/index.ts";
import { type Encoded, encodedBody } from "../resource.ts";

/** The number of `virtual_hosts` in RouteConfiguration. */
const virtualHostsField = RouteConfigurationSchema.field.virtualHosts.number;

/** A route table with its hosts inside, made from their bytes: that they are encoded already is what makes an edit cheap. */
export function buildRouteTable(
  { name, discovery, switchedOn = [] }: Pick<RouteTable, "name" | "discovery" | "switchedOn">,
  hosts: readonly Encoded[],
): Encoded {
  const head = create(RouteConfigurationSchema, {
    name,
    // Clients name the port in `Host` where it is not the default one; Gateway API's hostnames have none.
    ignorePortInHostMatching: true,
    // Clusters come before the routes that name them, and a route of a missing one answers by itself.
    validateClusters: false,
    // Clients need not know how fast backends are.
    responseHeadersToRemove: ["x-envoy-upstream-service-time"],
    ...(discovery === "vhds" ? { vhds: { configSource: adsConfigSource() } } : {}),
    ...(switchedOn.length > 0 ? { typedPerFilterConfig: offConfigs(switchedOn) } : {}),
  });
  const writer = new BinaryWriter().raw(encode(RouteConfigurationSchema, head));
  for (const { body } of hosts) writer.tag(virtualHostsField, WireType.LengthDelimited).bytes(body);
  return encodedBody(typeUrl(RouteConfigurationSchema), writer.finish());
}

/** For routes that do not configure the filters themselves. */
const offConfigs = (filters: readonly string[]): { readonly [name: string]: Any } =>
  Object.fromEntries(
    filters.flatMap((filter): readonly (readonly [string, Any])[] => {
      const off = offConfig(filter);
      return off === undefined ? [] : [[filter, off]];
    }),
  );
