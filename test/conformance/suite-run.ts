// Runs the suite's program in the lab's network, and reads what it prints as it comes.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { goEnvironment } from "../../codegen/src/go/go.ts";
import { addresses, etcdUrl, type Lab } from "../lab/index.ts";
import { profiles as allProfiles, implementation } from "./implementation.ts";
import { createOutcomes, type Outcome } from "./outcome.ts";

export type SuiteOptions = {
  readonly program: string;
  readonly gatewayClass: string;
  readonly profiles: readonly string[];
  readonly runTests: readonly string[];
  readonly ownTests: boolean;
  readonly features: string | undefined;
  readonly parallel: number;
  readonly debug: boolean;
  readonly version: string;
  readonly report: string | undefined;
  /** The command that looks at a test which has failed. */
  readonly onFailure: readonly string[];
  readonly logFile: string;
  readonly signal: AbortSignal;
};

export type SuiteResult = {
  readonly outcomes: readonly Outcome[];
  /** Of the program; nothing if it was ended. */
  readonly code: number | undefined;
  /** What it printed outside of tests. */
  readonly rest: readonly string[];
  readonly unfinished: readonly string[];
};

export function suiteArguments(
  options: Omit<SuiteOptions, "program" | "ownTests" | "onFailure" | "logFile" | "signal">,
): string[] {
  const { runTests, features, report } = options;
  const { organization, project, url, contact } = implementation;
  return [
    "-test.v=test2json",
    "-test.timeout=90m",
    `-test.parallel=${options.parallel}`,
    // Not by the suite's own option, which switches the look at the GatewayClass's features off.
    ...(runTests.length === 0 ? [] : [`-test.run=^TestConformance$/^(${runTests.join("|")})$`]),
    `--gateway-class=${options.gatewayClass}`,
    `--conformance-profiles=${options.profiles.join(",")}`,
    ...(features === undefined ? [] : [features === "all" ? "--all-features" : `--supported-features=${features}`]),
    `--usable-address=${addresses.usable}`,
    "--unusable-address=unusable.example.com",
    // What of them is left when tests fail is looked at; whoever started the suite removes them.
    "--cleanup-base-resources=false",
    `--debug=${options.debug}`,
    ...(report === undefined
      ? []
      : [
          `--organization=${organization}`,
          `--project=${project}`,
          `--url=${url}`,
          `--version=${options.version}`,
          `--contact=${contact}`,
          `--report-output=${report}`,
        ]),
  ];
}

export type Listener = {
  readonly outcome: (outcome: Outcome) => void;
  /** Called when nothing has ended for a while, with what goes on. */
  readonly silence: (present: string) => void;
};

const silenceMs = 20_000;

export async function runSuite(lab: Lab, options: SuiteOptions, listener: Listener): Promise<SuiteResult> {
  const [program = "", ...args] = lab.inside([options.program, ...suiteArguments(options)]);
  const suite = spawn(program, args, {
    cwd: path.dirname(options.logFile),
    env: {
      ...lab.environment,
      CONFORMANCE_ON_FAILURE: JSON.stringify(options.onFailure),
      ...(options.ownTests && { CONFORMANCE_OWN_TESTS: "1", CONFORMANCE_ETCD: etcdUrl }),
      // Ten tests count for no profile; they are run with all.
      CONFORMANCE_ONLY_PROFILES: options.profiles.length < allProfiles.length ? options.profiles.join(",") : "",
    },
    stdio: ["ignore", "pipe", "pipe"],
    // Ctrl-C reaches this process, which ends it.
    detached: true,
  });
  const converter = spawn("go", ["tool", "test2json", "-t"], {
    cwd: import.meta.dirname,
    env: { ...process.env, ...goEnvironment },
    stdio: ["pipe", "pipe", "inherit"],
    detached: true,
  });
  const end = () => suite.kill("SIGKILL");
  options.signal.addEventListener("abort", end);
  if (options.signal.aborted) end();

  const log = createWriteStream(options.logFile);
  const outcomes = createOutcomes((outcome) => {
    pulse.refresh();
    listener.outcome(outcome);
  });
  const pulse = setInterval(() => listener.silence(outcomes.present()), silenceMs);
  // What goes wrong before tests run (a panic, an unknown option) is on standard error.
  suite.stderr.on("data", (chunk: Buffer) => {
    log.write(chunk);
    outcomes.rest.push(...chunk.toString("utf8").trimEnd().split("\n"));
  });
  suite.stdout.on("data", (chunk: Buffer) => log.write(chunk));
  suite.stdout.pipe(converter.stdin);
  converter.stdin.on("error", () => undefined);
  const lines = createInterface({ input: converter.stdout }).on("line", (line) => outcomes.addLine(line));
  const [[code]] = await Promise.all([once(suite, "close"), once(converter, "close"), once(lines, "close")]);
  clearInterval(pulse);
  options.signal.removeEventListener("abort", end);
  log.end();
  return {
    outcomes: outcomes.outcomes,
    code: typeof code === "number" ? code : undefined,
    rest: outcomes.rest,
    unfinished: outcomes.unfinished(),
  };
}
