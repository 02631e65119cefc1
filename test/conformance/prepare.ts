import path from "node:path";
import { buildImage } from "../../image/src/build-image.ts";
import { ownArchitecture } from "../../image/src/platform.ts";
import { buildPrograms, labPrograms, openLab, preflight } from "../lab/index.ts";
import type { Options } from "./arguments.ts";
import { exitCodes } from "./run.ts";
import { suiteProgram } from "./suite-program.ts";

/** Builds what a run needs, and starts a lab once: whoever has seen this end with 0 can expect a run to. */
export async function prepare({ lab: name, output }: Options, report: (line: string) => void): Promise<number> {
  const problems = await preflight();
  for (const { what, remedy } of problems) report(`${what}: ${remedy}`);
  if (problems.length > 0) return exitCodes.notRun;
  await buildPrograms([...labPrograms, suiteProgram], { report });
  await buildImage({ output: path.join(output, "image", "layout"), architectures: [ownArchitecture], report });
  const lab = openLab({ name, report });
  const wasUp = (await lab.status()).kind === "up";
  await lab.up();
  if (!wasUp) await lab.down();
  return exitCodes.passed;
}
