import { readFile } from "node:fs/promises";
import path from "node:path";
import { CodegenError } from "../step.ts";
import { help, parseArguments } from "./arguments.ts";
import { CannotRun } from "./cannot-run.ts";
import { generate, type Outcome } from "./run.ts";

/** Where the command writes: lines, each without its end. */
export type Output = { readonly out: (line: string) => void; readonly err: (line: string) => void };

/** Runs `gatewright-codegen`; the result is its exit code. Progress, warnings and errors are no output: they go to `err`. */
export async function runCodegen(words: readonly string[], { out, err }: Output): Promise<0 | 1 | 2> {
  const parsed = parseArguments(words);
  switch (parsed.kind) {
    case "help":
      out(help.trimEnd());
      return 0;
    case "version":
      out(String(JSON.parse(await readFile(path.join(import.meta.dirname, "../../package.json"), "utf8")).version));
      return 0;
    case "wrong":
      err(`gatewright-codegen: ${parsed.message}\n\n${help}`);
      return 2;
    case "run":
      break;
  }
  const { run } = parsed;
  const start = performance.now();
  const report = (line: string) => {
    if (!run.quiet) err(`[${((performance.now() - start) / 1000).toFixed(1).padStart(5)}s] ${line}`);
  };
  const warn = (line: string) => err(`warning: ${line}`);
  try {
    return say(await generate(run, { report, warn }), run.out, { report, err });
  } catch (error) {
    if (!(error instanceof CodegenError) && !(error instanceof CannotRun)) throw error;
    err(error.message);
    return error instanceof CannotRun ? 2 : 1;
  }
}

type Say = { readonly report: (line: string) => void; readonly err: (line: string) => void };

function say(outcome: Outcome, out: string, { report, err }: Say): 0 | 1 {
  switch (outcome.kind) {
    case "up to date":
      report(`${out}: up to date`);
      return 0;
    case "written":
      report(`${out}: ${outcome.kinds} kinds, ${outcome.files} files, ${outcome.changed} changed`);
      return 0;
    case "checked":
      for (const line of outcome.differences) err(line);
      if (outcome.differences.length === 0) report(`${out}: as it would be written`);
      return outcome.differences.length === 0 ? 0 : 1;
  }
}
