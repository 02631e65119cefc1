export { type EnvoyResolution, resolveEnvoy, type ResolveEnvoyOptions } from "./envoy-binary.ts";
export { envoyVersion } from "./envoy-pin.ts";
