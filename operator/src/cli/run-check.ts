import {
  arrange,
  type Channel,
  check,
  compareWithCluster,
  type Finding,
  collectInputs,
  formatFindings,
  type OutputFormat,
  summarize,
  type Verdict,
} from "../check/index.ts";
import { ApiUnreachableError, checkApiServer, ClusterError, connectToCluster } from "../kubernetes/index.ts";
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
  const { output, strict, complete, channel, kubernetesVersion, gatewayClass, controllerName } = options;
  const read = await collectInputs(paths, async () => Buffer.from(await io.readStdin()));
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
  const compared = await compare(judged, options, io);
  if (typeof compared === "string") {
    io.err(`error: ${compared}\n`);
    return exitCodes.failed;
  }
  const verdict = { ...judged, findings: arrange([...judged.findings, ...compared]) };
  const isColoured = io.terminal !== undefined && (io.env["NO_COLOR"] ?? "") === "";
  io.out(formatFindings(output, verdict, { isStrict: strict, isColoured, version: productVersion() }));
  if (output === "text") io.err(`${summarize(verdict)}\n`);
  const fails = verdict.findings.some(({ severity }) => strict || severity === "error");
  return fails ? exitCodes.problems : exitCodes.ok;
}

/** Where a cluster says otherwise; or why it says nothing. */
async function compare(
  verdict: Verdict,
  { against, kubeconfig }: CheckCommandOptions,
  io: Io,
): Promise<readonly Finding[] | string> {
  if (against === undefined) return [];
  try {
    const { api } = await connectToCluster({
      context: against,
      ...(kubeconfig !== undefined && { kubeconfig }),
      env: io.env,
      logger: silentLogger,
    });
    try {
      const reached = await checkApiServer(api);
      return reached.kind === "reachable" ? await compareWithCluster(verdict, api) : reached.message;
    } finally {
      api.close();
    }
  } catch (error) {
    if (error instanceof ClusterError || error instanceof ApiUnreachableError) return error.message;
    throw error;
  }
}
