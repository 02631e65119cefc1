import { create } from "@bufbuild/protobuf";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import { adsConfigSource } from "../config-source.ts";
import type { ChainBuilder } from "./chain.ts";

/**
 * Filters of HTTPFilter objects. Each is off, and on only for routes that carry configuration for it. Its entry comes by
 * ECDS, so that a new one replaces it without touching the listener; the same configuration stands here as the default,
 * so that the listener never waits for it.
 *
 * https://www.envoyproxy.io/docs/envoy/latest/intro/arch_overview/http/http_filters#route-based-filter-chain
 */
export const extensionEntries: ChainBuilder = ({ extensions, requestFilters }, neutral) =>
  extensions.flatMap((name) => {
    const config = neutral(name);
    if (config === undefined) return [];
    return {
      name,
      // Who is off is settled when a request comes, by the route that it has then: too soon where filters of listeners follow.
      disabled: requestFilters === undefined,
      configType: {
        case: "configDiscovery",
        value: {
          configSource: adsConfigSource(),
          typeUrls: [config.typeUrl],
          defaultConfig: create(AnySchema, config),
          applyDefaultConfigWithoutWarming: true,
        },
      },
    };
  });
