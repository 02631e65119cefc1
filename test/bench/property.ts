// The property test of the pipeline, with as many random histories as one has time for; the gate runs a few hundred.
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { parseArgs } from "node:util";

const root = path.resolve(import.meta.dirname, "../..");

/** Gives the exit code of the tests. */
export async function runProperty(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { runs: { type: "string", default: "10000" } } });
  const runs = Number(values.runs);
  if (!Number.isInteger(runs) || runs < 1) {
    console.error("--runs needs a number");
    return 2;
  }
  console.log(`${runs.toLocaleString("en")} random histories …`);
  const command = [
    path.join(root, "node_modules/mocha/bin/mocha.js"),
    "operator/src/reconcile/histories.property.test.ts",
  ];
  const child = spawn(process.execPath, command, {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, FUZZ_RUNS: values.runs },
  });
  const [code] = await once(child, "exit");
  return typeof code === "number" ? code : 1;
}
