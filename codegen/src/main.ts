import path from "node:path";
import { apiStep } from "./api/index.ts";
import { protobufStep } from "./protobuf/index.ts";
import { cacheFolder, root } from "./root.ts";
import { withLock } from "./run/lock.ts";
import { runSteps } from "./run/run-steps.ts";
import { CodegenError, type Step } from "./step.ts";

const steps: readonly Step[] = [apiStep, protobufStep];

const help = `Usage: npm run generate [-- --force]

Writes what comes from Go modules: TypeScript types, tables, schemas, CRDs and protobuf code. Only what is out of date is written.

  --force   write everything anew
  --help    show this
`;

const main = async (args: readonly string[]): Promise<number> => {
  if (args.includes("--help")) {
    console.log(help);
    return 0;
  }
  const unknown = args.filter((arg) => arg !== "--force");
  if (unknown.length > 0) {
    console.error(`Unknown argument ${unknown.join(" ")}.\n\n${help}`);
    return 2;
  }
  const start = performance.now();
  // Progress is no output: what runs after may be piped somewhere.
  const print = (line: string) =>
    console.error(`[${((performance.now() - start) / 1000).toFixed(1).padStart(5)}s] ${line}`);
  const lock = path.join(cacheFolder, "lock");
  try {
    await withLock(
      lock,
      (pid) =>
        print(`waiting for process ${pid}, which holds ${lock}; remove the file if that is no run of this program`),
      () => runSteps(steps, { root, cacheFolder, force: args.includes("--force"), print }),
    );
    return 0;
  } catch (error) {
    if (!(error instanceof CodegenError)) throw error;
    console.error(error.message);
    return 1;
  }
};

process.exitCode = await main(process.argv.slice(2));
