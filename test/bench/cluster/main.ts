// `npm run bench -- cluster …`
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArguments, type RunArguments, usage } from "./arguments.ts";
import type { Cell } from "./cell.ts";
import { enterOwnNetwork } from "./own-network.ts";
import { buildProduct, type Product } from "./product.ts";
import { endOnSignals } from "./program.ts";
import { writeReport } from "./report.ts";
import { machineOf, openResults, readResults, thisMachine } from "./results.ts";
import { runRounds } from "./run.ts";
import { createSide } from "./sides/create.ts";
import type { Side } from "./sides/side.ts";
import { programVersions } from "./versions.ts";

export async function benchCluster(args: readonly string[]): Promise<number> {
  const parsed = parseArguments(args);
  switch (parsed.kind) {
    case "help":
      console.log(usage);
      return 0;
    case "wrong":
      console.error(`${parsed.problem}\n\n${usage}`);
      return 2;
    case "report":
      await writeReport(parsed.to, await readResults(parsed.folders));
      return 0;
    case "run":
      return await run(parsed.run, `npm run bench -- cluster ${args.join(" ")}`.trim());
  }
}

const report = (line: string): void => console.error(`${new Date().toISOString().slice(11, 19)} ${line}`);

async function run(options: RunArguments, command: string): Promise<number> {
  const { out, isFresh, isSmoke, ofSources, nodeFlags } = options;
  // Before the network is left: what is missing is fetched.
  const product = ofSources ? undefined : await theProduct(isFresh ? undefined : out);
  const sides: Side[] = [];
  for (const name of options.sides)
    sides.push(await createSide(name, { nodeFlags, report, ...(product !== undefined && { product }) }));
  const code = await enterOwnNetwork(product && { [productKey]: JSON.stringify(product) });
  if (code !== undefined) return code;
  endOnSignals();

  const ofSides = Object.fromEntries(sides.map(({ name, version }) => [name, version]));
  const machine = thisMachine(command, { ...(await programVersions()), ...ofSides });
  const results = await openResults(out, machine, isFresh);
  const workFolder = await mkdtemp(path.join(tmpdir(), "gatewright-bench-"));
  const snapshots = path.join(out, "snapshots");
  const failed = await runRounds({
    ...options,
    sides,
    results,
    workFolder,
    // Copying a cluster's state pays only where it is used again.
    ...(!isSmoke && { snapshots }),
    report,
    onCell: print,
  });
  if (failed > 0) {
    report(`${failed} could not be measured; started again, the run tries only these`);
    return 1;
  }
  await rm(workFolder, { recursive: true, force: true });
  await rm(snapshots, { recursive: true, force: true });
  report(`results are in ${out}`);
  return 0;
}

function print({ side, round, routes, outcomes }: Cell): void {
  for (const { workload, figures } of outcomes) {
    const rounded = Object.fromEntries(
      Object.entries(figures).map(([name, value]) => [name, Number(value.toFixed(2))]),
    );
    console.log(`${side} ${routes} ${round} ${workload} ${JSON.stringify(rounded)}`);
  }
}

const productKey = "GATEWRIGHT_BENCH_PRODUCT";

/** Built once: inside of its own network, the run has that of the process outside. A run that goes on goes on with the commit it began with. */
async function theProduct(out: string | undefined): Promise<Product> {
  const given = process.env[productKey];
  if (given !== undefined) return JSON.parse(given) as Product;
  const before = out === undefined ? undefined : await machineOf(out);
  return await buildProduct(report, before?.versions["ours"] ?? before?.versions["null"]);
}
