// `npm run bench -- cluster …`
import { execFile } from "node:child_process";
import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { cpus, loadavg, release, tmpdir, totalmem } from "node:os";
import path from "node:path";
import { parseArgs, promisify } from "node:util";
import { round } from "../statistics.ts";
import { enterOwnNetwork } from "./own-network.ts";
import { endOnSignals } from "./program.ts";
import { type Outcome, runRounds } from "./run.ts";
import { createEnvoyGateway } from "./sides/envoy-gateway.ts";
import { nullSide } from "./sides/null.ts";
import { createOurs } from "./sides/ours.ts";
import { isSideName, type Side, type SideName, sideNames } from "./sides/side.ts";
import { workloads as known } from "./workload-list.ts";

export const clusterUsage = `Usage: npm run bench -- cluster [options]

Measures implementations of the Gateway API beside each other: a Kubernetes API server without a cluster, the same objects, one real Envoy.
Needs Linux, and root or unprivileged user namespaces. Programs are built once, from their sources.

  --impl LIST       of ${sideNames.join(", ")} (default ours,null)
  --n LIST          numbers of routes, one after the other in the same cluster (default 1,100,1000)
  --rounds N        how often each implementation has its turn (default 1)
  --probes N        changes of each kind measured one after the other (default 30)
  --workloads LIST  of ${known.map(({ name }) => name).join(",")},W11 (default all)
  --seed-statuses   where more than 2,000 routes come at once they have a status already: writing them takes minutes
  --built           measure the product as it is published (npm run build), not the sources
  --out FOLDER      where results are written (default test/bench/out)
  --node-flags TEXT flags of Node for our operator, for profiles
  --help            this text
`;

const workloadNames = ["W1", ...known.map(({ name }) => name), "W11"];
const list = (text: string) => text.split(",").filter((word) => word !== "");

export async function benchCluster(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      impl: { type: "string", default: "ours,null" },
      n: { type: "string", default: "1,100,1000" },
      rounds: { type: "string", default: "1" },
      probes: { type: "string", default: "30" },
      workloads: { type: "string", default: workloadNames.join(",") },
      "seed-statuses": { type: "boolean", default: false },
      built: { type: "boolean", default: false },
      out: { type: "string", default: path.resolve(import.meta.dirname, "../out") },
      "node-flags": { type: "string", default: "" },
      help: { type: "boolean", default: false },
    },
  });
  const names = list(values.impl).filter(isSideName);
  const counts = list(values.n).map(Number);
  const rounds = Number(values.rounds);
  const probes = Number(values.probes);
  const workloads = list(values.workloads).filter((name) => workloadNames.includes(name));
  const isWrong =
    names.length < list(values.impl).length ||
    workloads.length < list(values.workloads).length ||
    counts.some((count) => !Number.isInteger(count) || count < 1) ||
    !(rounds >= 1) ||
    !(probes >= 1);
  if (values.help || isWrong) {
    (isWrong ? console.error : console.log)(clusterUsage);
    return isWrong ? 2 : 0;
  }
  // Before the network is left: what is missing is fetched.
  const report = (line: string) => console.error(`${new Date().toISOString().slice(11, 19)} ${line}`);
  const sides: Side[] = [];
  const makers: Readonly<Record<SideName, () => Promise<Side>>> = {
    ours: async () =>
      createOurs(await commit(), { nodeFlags: values["node-flags"].split(" ").filter(Boolean), isBuilt: values.built }),
    "envoy-gateway": () => createEnvoyGateway(report),
    null: () => Promise.resolve(nullSide),
  };
  for (const name of names) sides.push(await makers[name]());
  const code = await enterOwnNetwork();
  if (code !== undefined) return code;
  endOnSignals();

  const folder = await mkdtemp(path.join(tmpdir(), "gatewright-bench-"));
  await mkdir(values.out, { recursive: true });
  const file = path.join(values.out, "results.json");
  const outcomes: Outcome[] = [];
  const machine = {
    processor: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    memoryGiB: round(totalmem() / 1024 ** 3, 0),
    linux: release(),
    node: process.version,
    loadAtBegin: loadavg()[0] ?? 0,
    date: new Date().toISOString(),
    command: `npm run bench -- cluster ${args.join(" ")}`,
    versions: Object.fromEntries(sides.map(({ name, version }) => [name, version])),
  };
  try {
    await runRounds({
      sides,
      counts,
      rounds,
      probes,
      withStatuses: values["seed-statuses"],
      workloads: new Set(workloads),
      folder,
      report,
      onOutcome: async (outcome) => {
        const figures = Object.fromEntries(
          Object.entries(outcome.figures).map(([name, value]) => [name, round(value, 2)]),
        );
        outcomes.push({ ...outcome, figures });
        console.log(`${outcome.side} ${outcome.routes} ${outcome.workload} ${JSON.stringify(figures)}`);
        // At once: a run that is ended has what it has.
        await writeFile(file, `${JSON.stringify({ machine, outcomes }, undefined, 1)}\n`);
      },
    });
    await rm(folder, { recursive: true, force: true });
  } catch (error) {
    report(`logs are in ${folder}`);
    throw error;
  }
  return 0;
}

/** Of the sources; where they are not in a repository, nobody can tell. */
const commit = (): Promise<string> =>
  promisify(execFile)("git", ["-C", import.meta.dirname, "rev-parse", "--short", "HEAD"]).then(
    ({ stdout }) => stdout.trim(),
    () => "unknown",
  );
