export { createDiscovery, type Discovery, type DiscoveryOptions, type DiscoveryState } from "./discovery.ts";
