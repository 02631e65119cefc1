import { availableParallelism } from "node:os";
import { Command, Option } from "commander";
import type { LogFormat, LogLevel } from "../lib/index.ts";
import type { StandaloneEnd } from "../standalone/index.ts";
import { type ExitCode, exitCodes, type Finish, type Io } from "./io.ts";
import {
  classOption,
  controllerOption,
  logFormatOption,
  logLevelOption,
  rootNamespace,
  wholeNumber,
} from "./options.ts";

type Options = {
  readonly envoy?: string;
  readonly statusDir?: string;
  readonly bind: string;
  readonly adminPort?: number;
  readonly accessLog?: string | true;
  readonly concurrency: number;
  readonly drainSeconds: number;
  readonly gatewayClass: string;
  readonly controllerName: string;
  readonly strict: boolean;
  readonly plain: boolean;
  readonly logLevel?: LogLevel;
  readonly logFormat: LogFormat;
};

export function standaloneCommand(io: Io, finish: Finish): Command {
  return new Command("standalone")
    .description(
      "Serve Gateways on this machine from folders of Kubernetes YAML, one Envoy each, while the files are edited.",
    )
    .argument("<dir...>", "folders or files to read and to watch")
    .option("--envoy <path>", "the Envoy to run; also GATEWRIGHT_ENVOY. Found or fetched unless given")
    .option("--status-dir <dir>", "write the status of each object to <dir>/<kind>/<namespace>/<name>.yaml")
    .option("--bind <address>", "the address where Gateways listen that ask for none", "127.0.0.1")
    .addOption(adminPortOption())
    .option("--access-log [file]", "log requests to this file, or to standard output")
    .addOption(concurrencyOption())
    .addOption(drainOption())
    .addOption(classOption())
    .addOption(controllerOption())
    .option("--strict", "end with exit code 1 if there are problems when everything has been read", false)
    .option("--plain", "write lines instead of a table, also on a terminal", false)
    .addOption(logLevelOption())
    .addOption(logFormatOption())
    .addHelpText("after", examples)
    .action(async (paths: string[], options: Options) => finish(report(io, await run(io, paths, options))));
}

const examples = `
Examples:
  gatewright standalone ./manifests
  gatewright standalone ./base ./local --status-dir ./status
  gatewright standalone ./manifests --bind 0.0.0.0 --access-log --plain

Exit codes: 0 ended by a signal, 1 problems with --strict, 2 could not run.
`;

/** More worker threads than this are of no use on a developer's machine unless they are asked for. */
const usualConcurrency = Math.min(2, availableParallelism());

const adminPortOption = (): Option =>
  new Option("--admin-port <port>", "open Envoys' admin interfaces on loopback, from this port up").argParser(
    wholeNumber(1, 65_535),
  );

const concurrencyOption = (): Option =>
  new Option("--concurrency <threads>", "worker threads of each Envoy")
    .argParser(wholeNumber(1, 1024))
    .default(usualConcurrency);

const drainOption = (): Option =>
  new Option("--drain-seconds <seconds>", "how long requests in flight may take at the end")
    .argParser(wholeNumber(0, 3600))
    .default(5);

async function run(io: Io, paths: readonly string[], options: Options): Promise<StandaloneEnd> {
  const { accessLog, logFormat, controllerName } = options;
  const accessLogPath = accessLog === true ? "stdout" : accessLog;
  // Here, so that help and mistakes of usage need not load the product.
  const { runStandalone } = await import("../standalone/index.ts");
  return runStandalone({
    paths,
    envoyPath: options.envoy,
    statusFolder: options.statusDir,
    bindAddress: options.bind,
    adminPort: options.adminPort,
    concurrency: options.concurrency,
    drainMs: options.drainSeconds * 1000,
    gatewayClass: options.gatewayClass,
    settings: { controllerName, rootNamespace, ...(accessLogPath === undefined ? {} : { accessLogPath }) },
    strict: options.strict,
    terminal: options.plain || logFormat === "json" ? undefined : io.terminal,
    log: { level: options.logLevel, format: logFormat },
    out: io.out,
    err: io.err,
    env: io.env,
    onEndRequest: io.onEndRequest,
  });
}

function report(io: Io, end: StandaloneEnd): ExitCode {
  if (end.kind === "failed") io.err(`error: ${end.message}\n`);
  return { ended: exitCodes.ok, problems: exitCodes.problems, failed: exitCodes.failed }[end.kind];
}
