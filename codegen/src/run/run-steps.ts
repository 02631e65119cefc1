import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Step } from "../step.ts";
import { hashFiles } from "./hash.ts";
import { createStage } from "./stage.ts";

export type RunOptions = {
  /** The folder to which the inputs and outputs of steps are relative. */
  readonly root: string;
  /** Where hashes and unfinished outputs are kept; on the same file system as `root`. */
  readonly cacheFolder: string;
  /** Runs every step, whether due or not. */
  readonly force: boolean;
  /** Shows a progress line. */
  readonly print: (line: string) => void;
};

export type StepOutcome = { readonly name: string; readonly kind: "ran" | "up to date" };

/** Runs the steps that are due, in order. The first that fails ends the run; its last good outputs stay in place. */
export const runSteps = async (steps: readonly Step[], options: RunOptions): Promise<readonly StepOutcome[]> => {
  const outcomes: StepOutcome[] = [];
  for (const step of steps) outcomes.push({ name: step.name, kind: await runStep(step, options) });
  return outcomes;
};

const runStep = async (step: Step, options: RunOptions): Promise<StepOutcome["kind"]> => {
  const slug = step.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  const stateFile = path.join(options.cacheFolder, `${slug}.state`);
  const inputs = await hashFiles(options.root, step.inputs, isTest);
  const before = await readFile(stateFile, "utf8").catch(() => "");
  if (!options.force && before === stateText(inputs, await hashFiles(options.root, step.outputs))) {
    options.print(`${step.name}: up to date`);
    return "up to date";
  }
  options.print(`${step.name}: …`);
  const stage = await createStage(options.root, path.join(options.cacheFolder, "stage", slug), step.outputs);
  try {
    await step.run((line) => options.print(`${step.name}: ${line}`), stage.place);
    await stage.commit();
  } catch (error) {
    await stage.discard();
    throw error;
  }
  await mkdir(options.cacheFolder, { recursive: true });
  // The inputs as they were before the run: what was edited meanwhile makes the step due again.
  await writeFile(stateFile, stateText(inputs, await hashFiles(options.root, step.outputs)));
  options.print(`${step.name}: done`);
  return "ran";
};

const stateText = (inputs: string, outputs: string) => `inputs ${inputs}\noutputs ${outputs}\n`;

// Tests and what they read do not change what is generated.
const isTest = (file: string) => /\.test\.ts$|_test\.go$|\/testdata\//.test(file);
