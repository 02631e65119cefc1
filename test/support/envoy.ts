import { fileURLToPath } from "node:url";
import { resolveEnvoy } from "../../operator/src/standalone/envoy-binary.ts";

const cacheDir = fileURLToPath(new URL("../../.cache", import.meta.url));
let resolved: Promise<string> | undefined;

/** The path of the Envoy that tests run; fetched on first use. */
export function envoyBinary(): Promise<string> {
  resolved ??= find();
  return resolved;
}

async function find(): Promise<string> {
  const envoy = await resolveEnvoy({ cacheDir, report: (line) => console.error(line) });
  if (envoy.kind === "unavailable") throw new Error(envoy.message);
  return envoy.path;
}
