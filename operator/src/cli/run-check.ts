import {
  arrange,
  type Channel,
  check,
  collectInputs,
  compareWithCluster,
  formatFindings,
  type OutputFormat,
  summarize,
} from "../check/index.ts";
import {
  type ApiServer,
  ApiUnreachableError,
  checkApiServer,
  ClusterError,
  connectToCluster,
} from "../kubernetes/index.ts";
import { silentLogger } from "../lib/index.ts";
import { type ExitCode, exitCodes, type Io } from "./io.ts";
import { rootNamespace } from "./options.ts";
import { productVersion } from "./version.ts";

export type CheckCommandOptions = {
  readonly output: OutputFormat;
  readonly strict: boolean;
  readonly complete: boolean;
  readonly channel: Channel;
  /** Minor release. */
  readonly kubernetesVersion: number;
  readonly against?: string;
  readonly kubeconfig?: string;
  readonly gatewayClass: string;
  readonly controllerName: string;
};

export async function runCheck(paths: readonly string[], options: CheckCommandOptions, io: Io): Promise<ExitCode> {
  const { against } = options;
  try {
    if (against === undefined) return await checkPaths(paths, options, io);
    const api = await connect(against, options, io);
    try {
      return await checkPaths(paths, options, io, api);
    } finally {
      api.close();
    }
  } catch (error) {
    if (!(error instanceof ClusterError) && !(error instanceof ApiUnreachableError)) throw error;
    io.err(`error: ${error.message}\n`);
    return exitCodes.failed;
  }
}

async function connect(context: string, { kubeconfig }: CheckCommandOptions, io: Io): Promise<ApiServer> {
  const where = { context, ...(kubeconfig !== undefined && { kubeconfig }) };
  const { api } = await connectToCluster({ ...where, env: io.env, logger: silentLogger });
  const reached = await checkApiServer(api);
  if (reached.kind === "reachable") return api;
  api.close();
  throw new ClusterError(reached.message);
}

async function checkPaths(
  paths: readonly string[],
  options: CheckCommandOptions,
  io: Io,
  api?: ApiServer,
): Promise<ExitCode> {
  const { output, strict, complete, channel, kubernetesVersion, gatewayClass, controllerName } = options;
  const read = await collectInputs(paths, io.readStdin);
  if (read.kind === "unreadable") {
    io.err(`error: ${read.message}\n`);
    return exitCodes.failed;
  }
  const judged = check(read.inputs, {
    channel,
    kubernetesMinor: kubernetesVersion,
    isComplete: complete,
    controllerName,
    gatewayClass,
    rootNamespace,
    nowMs: Date.now(),
  });
  const compared = api === undefined ? [] : await compareWithCluster(judged, api);
  const verdict = { ...judged, findings: arrange([...judged.findings, ...compared]) };
  const isColoured = io.terminal !== undefined && (io.env["NO_COLOR"] ?? "") === "";
  io.out(formatFindings(output, verdict, { isStrict: strict, isColoured, version: productVersion() }));
  if (output === "text") io.err(`${summarize(verdict)}\n`);
  const fails = verdict.findings.some(({ severity }) => strict || severity === "error");
  return fails ? exitCodes.problems : exitCodes.ok;
}
