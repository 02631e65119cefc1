// The Gateway API as the conformance suite's module pins it: its CRDs and the suite's manifests are in the modules.
import { readdir } from "node:fs/promises";
import path from "node:path";
import { goEnvironment } from "../../codegen/src/go/go.ts";
import { LabError } from "./lab-error.ts";
import { runCommand } from "./run-command.ts";

const suite = path.resolve(import.meta.dirname, "../conformance/suite");

/** Where a module stands on this machine; Go fetches it if it is not there yet. */
export async function gatewayApiFolder(
  module: "sigs.k8s.io/gateway-api" | "sigs.k8s.io/gateway-api/conformance",
): Promise<string> {
  const { code, stdout, stderr } = await runCommand(["go", "-C", suite, "mod", "download", "-json", module], {
    env: { ...process.env, ...goEnvironment },
  });
  if (code !== 0) throw new LabError(`${module} cannot be had: ${stderr.trim() || stdout.trim()}`);
  const { Dir } = JSON.parse(stdout) as { Dir: string };
  return Dir;
}

export type Channel = "standard" | "experimental";

/** The files with the CRDs of a channel. */
export async function gatewayApiCrds(channel: Channel): Promise<string[]> {
  const folder = path.join(await gatewayApiFolder("sigs.k8s.io/gateway-api"), "config", "crd", channel);
  const names = (await readdir(folder)).filter((name) => /^gateway.*\.yaml$/.test(name) && !name.includes("_vap_"));
  return names.toSorted().map((name) => path.join(folder, name));
}
