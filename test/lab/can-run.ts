import { findProgram } from "./build.ts";
import { preflight } from "./preflight.ts";
import { type GoProgram, labPrograms } from "./programs.ts";

/** Why a lab, and other programs with it, cannot be run here within a minute; nothing if it can. For tests, which are left out then. */
export async function canRun(others: readonly GoProgram[] = []): Promise<string | undefined> {
  const [problem] = await preflight();
  if (problem !== undefined) return `${problem.what} (${problem.remedy})`;
  for (const program of [...labPrograms, ...others])
    if (!(await findProgram(program)).built)
      return `${program.name} has not been built, which takes a while: npm run lab -- build, or GATEWRIGHT_LAB=1`;
  return undefined;
}
