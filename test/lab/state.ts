import { readFile, rename, writeFile } from "node:fs/promises";
import type { ComponentName } from "./components.ts";
import type { ProcessIdentity } from "./process-identity.ts";
import type { LabPrograms } from "./programs.ts";

/** What is known of a lab between commands, in its folder. */
export type LabState = {
  /** The first process of its namespaces. */
  readonly init: ProcessIdentity;
  readonly startedMs: number;
  readonly programs: LabPrograms;
  readonly clusterTrustBundle: boolean;
  readonly maxGraceSeconds?: number;
  readonly components: Readonly<Partial<Record<ComponentName, ProcessIdentity>>>;
};

export async function readState(file: string): Promise<LabState | undefined> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  return text === undefined ? undefined : (JSON.parse(text) as LabState);
}

export async function writeState(file: string, state: LabState): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify(state, undefined, 2));
  await rename(`${file}.new`, file);
}
