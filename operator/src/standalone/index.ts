export { type EnvoyResolution, resolveEnvoy, type ResolveEnvoyOptions } from "./envoy-binary.ts";
export { envoyVersion } from "./envoy-pin.ts";
export { withDefaultClass } from "./default-class.ts";
export { listenersOf } from "./listeners-of.ts";
export { formatProblem, type Problem, type Row, type RowContext, rowOf } from "./overview.ts";
export { runStandalone, type StandaloneEnd, type StandaloneOptions } from "./run.ts";
export type { Terminal } from "./terminal-display.ts";
export { createLooseEnds, type LooseEnds } from "./loose-ends.ts";
export { placeIn, problemsOfFiles } from "./manifests.ts";
