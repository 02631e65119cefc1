// A run of the suite from nothing to its report.
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { buildPrograms, type Lab, LabError, openLab } from "../lab/index.ts";
import type { Options } from "./arguments.ts";
import { type ClusterState, readClusterState, returnTo } from "./cluster-state.ts";
import { collect } from "./diagnosis.ts";
import { countOf, formatCounts, formatFailures, formatOutcome } from "./display.ts";
import { installGatewright, waitUntilAccepted } from "./installation.ts";
import { formatUsage, watchUsage } from "./process-usage.ts";
import { formatProfiles, readReport } from "./report.ts";
import { runSuite, type SuiteResult } from "./suite-run.ts";
import { suiteProgram } from "./suite-program.ts";

export type RunContext = {
  readonly print: (line: string) => void;
  /** Aborted when the user wants an end. */
  readonly signal: AbortSignal;
  /** What the report names if the user says nothing. */
  readonly version: string;
};

export const exitCodes = { passed: 0, failed: 1, notRun: 2, interrupted: 130 } as const;

export async function run(options: Options, context: RunContext): Promise<number> {
  const { print, signal } = context;
  const startedMs = performance.now();
  const elapsed = () => `${((performance.now() - startedMs) / 1000).toFixed(1)} s`;
  const report = (line: string) => print(`- ${line}`);
  const lab = openLab({ name: options.lab, report });
  await mkdir(options.output, { recursive: true });
  const [program] = Object.values(await buildPrograms([suiteProgram], { report }));
  const wasUp = (await lab.status()).kind === "up";
  if (!wasUp && options.gatewayClass !== undefined)
    throw new LabError(`the lab "${lab.name}" is not up, so there is no GatewayClass ${options.gatewayClass} in it`);
  let before: ClusterState | undefined;
  try {
    await lab.up();
    const gatewayClass = await prepare(lab, options, context, report);
    signal.throwIfAborted();
    before = await readClusterState(lab);
    const old = await returnTo(lab, before);
    if (old.length > 0) report(`removed what an earlier run had left: ${old.join(", ")}`);
    report(`ready after ${elapsed()}; running the suite with class ${gatewayClass}`);
    const code = await test(lab, options, context, { program: program ?? "", gatewayClass });
    report(`the whole run took ${elapsed()}`);
    return code;
  } catch (error) {
    if (signal.aborted) return exitCodes.interrupted;
    await collectAll(lab, options, report).catch(() => undefined);
    throw error;
  } finally {
    await leave(lab, options, { wasUp, before, report });
  }
}

/** Makes sure that there is something to test, and names its GatewayClass. */
async function prepare(
  lab: Lab,
  { gatewayClass, output, replicas, version }: Options,
  context: RunContext,
  report: (line: string) => void,
): Promise<string> {
  if (gatewayClass === undefined)
    return await installGatewright(lab, {
      folder: path.join(output, "image"),
      report,
      signal: context.signal,
      replicas,
      version: version ?? context.version,
    });
  await waitUntilAccepted(lab, gatewayClass);
  return gatewayClass;
}

async function test(
  lab: Lab,
  options: Options,
  { print, signal, version }: RunContext,
  { program, gatewayClass }: { readonly program: string; readonly gatewayClass: string },
): Promise<number> {
  const failures = path.join(options.output, "failures");
  await rm(failures, { recursive: true, force: true });
  const named = options.version ?? version;
  const reportFile =
    options.runTests.length > 0 || options.ownTests
      ? undefined
      : (options.report ?? path.join(options.output, `experimental-${named}-default-report.yaml`));
  const logFile = path.join(options.output, "suite.log");
  const status = await lab.status();
  const usage = watchUsage(status.kind === "up" ? (status.components.node ?? 0) : 0);
  const startedMs = performance.now();
  const result = await runSuite(
    lab,
    {
      ...options,
      program,
      gatewayClass,
      version: named,
      report: reportFile,
      logFile,
      signal,
      onFailure: [
        process.execPath,
        "--conditions=source",
        path.join(import.meta.dirname, "collect.ts"),
        lab.name,
        failures,
      ],
    },
    {
      outcome: (outcome) => print(`[${seconds(startedMs).padStart(6)}] ${formatOutcome(outcome)}`),
      silence: (present) => print(`[${seconds(startedMs).padStart(6)}] … ${present}`),
    },
  );
  const suiteSeconds = (performance.now() - startedMs) / 1000;
  const usages = await usage.stop();
  if (signal.aborted) return exitCodes.interrupted;
  for (const line of formatFailures(result)) print(line);
  print("");
  const ok = result.code === 0;
  if (!ok) {
    await collect(lab, path.join(failures, "at-the-end"));
    print(`what failed tests left is in ${failures}, all that the suite said in ${logFile}`);
  }
  for (const line of formatUsage(usages, suiteSeconds)) print(line);
  if (reportFile !== undefined && result.outcomes.length > 0) {
    for (const line of formatProfiles(await readReport(reportFile))) print(line);
    print(`report: ${reportFile}`);
  }
  print(`the suite took ${suiteSeconds.toFixed(0)} s`);
  const exitCode = exitOf(result);
  if (exitCode === exitCodes.notRun) print("no test was run");
  print(formatCounts(countOf(result)));
  return exitCode;
}

function exitOf(result: SuiteResult): number {
  if (result.code === 0) return exitCodes.passed;
  // Nothing was tested: the suite could not set up, or did not start.
  return countOf(result).failed === 0 ? exitCodes.notRun : exitCodes.failed;
}

async function collectAll(lab: Lab, { output }: Options, report: (line: string) => void): Promise<void> {
  if ((await lab.status()).kind === "down") return;
  const folder = path.join(output, "failures", "before-the-suite");
  await collect(lab, folder);
  report(`what there was is in ${folder}`);
}

/** Leaves the machine as it was, unless it is to be looked at. */
async function leave(
  lab: Lab,
  { keep }: Options,
  {
    wasUp,
    before,
    report,
  }: {
    readonly wasUp: boolean;
    readonly before: ClusterState | undefined;
    readonly report: (line: string) => void;
  },
): Promise<void> {
  if (keep) {
    report(`the lab is left up: npm run lab -- --name ${lab.name} kubectl get gateways -A; … down ends it`);
    return;
  }
  if (!wasUp) {
    await lab.down();
    return;
  }
  if (before !== undefined) {
    report("removing what the suite has left in the lab");
    await returnTo(lab, before);
  }
}

const seconds = (startedMs: number): string => ((performance.now() - startedMs) / 1000).toFixed(1);
