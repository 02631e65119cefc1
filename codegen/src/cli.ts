#!/usr/bin/env node
import { readFile } from "node:fs/promises";
import path from "node:path";
import { CannotRun, generate, help, type Outcome, parseArguments } from "./anywhere/index.ts";
import { CodegenError } from "./step.ts";

const main = async (words: readonly string[]): Promise<number> => {
  const parsed = parseArguments(words);
  switch (parsed.kind) {
    case "help":
      console.log(help);
      return 0;
    case "version": {
      const text = await readFile(path.join(import.meta.dirname, "../package.json"), "utf8");
      console.log(String(JSON.parse(text).version));
      return 0;
    }
    case "wrong":
      console.error(`gatewright-codegen: ${parsed.message}\n\n${help}`);
      return 2;
    case "run":
      break;
  }
  const { run } = parsed;
  const start = performance.now();
  // Progress is no output: it goes where errors go.
  const report = (line: string) => {
    if (!run.quiet) console.error(`[${((performance.now() - start) / 1000).toFixed(1).padStart(5)}s] ${line}`);
  };
  const warn = (line: string) => console.error(`warning: ${line}`);
  try {
    return say(await generate(run, { report, warn }), run.out, report);
  } catch (error) {
    if (!(error instanceof CodegenError) && !(error instanceof CannotRun)) throw error;
    console.error(error.message);
    return error instanceof CannotRun ? 2 : 1;
  }
};

const say = (outcome: Outcome, out: string, report: (line: string) => void): number => {
  switch (outcome.kind) {
    case "up to date":
      report(`${out}: up to date`);
      return 0;
    case "written":
      report(`${out}: ${outcome.kinds} kinds, ${outcome.files} files, ${outcome.changed} changed`);
      return 0;
    case "checked":
      for (const line of outcome.differences) console.error(line);
      if (outcome.differences.length === 0) report(`${out}: as it would be written`);
      return outcome.differences.length === 0 ? 0 : 1;
  }
};

process.exitCode = await main(process.argv.slice(2));
