export { compareWithCluster } from "./against.ts";
export { check, type CheckOptions, type Verdict } from "./check.ts";
export { arrange, type Finding } from "./finding.ts";
export { formatFindings, type OutputFormat, outputFormats, summarize } from "./formats/index.ts";
export { collectInputs } from "./inputs.ts";
export { type Input } from "./read.ts";
export { type Channel, channels, kubernetesMinors } from "./served.ts";
