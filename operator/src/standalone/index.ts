export { type EnvoyResolution, resolveEnvoy, type ResolveEnvoyOptions } from "./envoy-binary.ts";
export { envoyVersion } from "./envoy-pin.ts";
export { runStandalone, type StandaloneEnd, type StandaloneOptions } from "./run.ts";
export type { Terminal } from "./terminal-display.ts";
