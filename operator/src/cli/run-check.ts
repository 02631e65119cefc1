import { type Channel, check, collectInputs, formatFindings, type OutputFormat, summarize } from "../check/index.ts";
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
  const verdict = check(read.inputs, {
    channel,
    kubernetesMinor: kubernetesVersion,
    isComplete: complete,
    controllerName,
    gatewayClass,
    rootNamespace,
    nowMs: Date.now(),
  });
  const isColoured = io.terminal !== undefined && (io.env["NO_COLOR"] ?? "") === "";
  io.out(formatFindings(output, verdict, { isStrict: strict, isColoured, version: productVersion() }));
  if (output === "text") io.err(`${summarize(verdict)}\n`);
  const fails = verdict.findings.some(({ severity }) => strict || severity === "error");
  return fails ? exitCodes.problems : exitCodes.ok;
}
