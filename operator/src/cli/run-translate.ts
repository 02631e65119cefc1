import { stringify } from "yaml";
import { createLogger } from "../lib/index.ts";
import { createLooseEnds, formatProblem } from "../overview/index.ts";
import type { ResourceType } from "../xds/index.ts";
import { envoyOutput } from "./envoy-output.ts";
import { type ExitCode, exitCodes, type Io } from "./io.ts";
import { readManifests } from "./manifests.ts";
import { rootNamespace } from "./options.ts";
import { problemsOf } from "./problems.ts";
import { translateObjects } from "./translation.ts";

export type TranslateOptions = {
  readonly output: "yaml" | "json";
  readonly kind?: ResourceType;
  readonly gateway?: string;
  readonly bind: string;
  readonly showSecrets: boolean;
  readonly gatewayClass: string;
  readonly controllerName: string;
};

export async function translate(paths: readonly string[], options: TranslateOptions, io: Io): Promise<ExitCode> {
  const complain = (message: string): ExitCode => {
    io.err(`error: ${message}\n`);
    return exitCodes.failed;
  };
  const manifests = await readManifests(paths, options, io);
  if (manifests.kind === "unreadable") return complain(manifests.message);
  const translation = await translateObjects(manifests.changes, {
    settings: { controllerName: options.controllerName, rootNamespace },
    bindAddress: options.bind,
    logger: createLogger({ level: "warn", format: "text", write: io.err }),
  });
  try {
    const looseEnds = createLooseEnds(options.controllerName, manifests.place);
    looseEnds.apply(manifests.changes);
    const problems = [...manifests.problems, ...problemsOf(translation, manifests.place), ...looseEnds.problems()];
    for (const problem of problems) io.err(`${problem.isWarning ? "warning: " : ""}${formatProblem(problem)}\n`);
    const gateway = chooseGateway(translation.gateways, options);
    if (gateway.kind === "none") return complain(gateway.message);
    const { kind, showSecrets } = options;
    io.out(format(envoyOutput(translation.xds, { gateway: gateway.key, kind, showSecrets }), options.output));
    return problems.some(({ isWarning }) => !isWarning) ? exitCodes.problems : exitCodes.ok;
  } finally {
    await translation.close();
  }
}

const format = (output: unknown, as: TranslateOptions["output"]): string =>
  as === "json"
    ? `${JSON.stringify(output, undefined, 2)}\n`
    : stringify(output, { aliasDuplicateObjects: false, lineWidth: 0 });

type Choice = { readonly kind: "one"; readonly key: string } | { readonly kind: "none"; readonly message: string };

function chooseGateway(
  gateways: readonly string[],
  { gateway, gatewayClass, controllerName }: TranslateOptions,
): Choice {
  const list = gateways.join(", ");
  if (gateway !== undefined)
    return gateways.includes(gateway)
      ? { kind: "one", key: gateway }
      : { kind: "none", message: `there is no Gateway ${gateway} of ours${list === "" ? "" : `, only ${list}`}` };
  const [first, second] = gateways;
  if (first === undefined)
    return {
      kind: "none",
      message: `there is no Gateway of ours: its gatewayClassName must be ${gatewayClass}, or that of a GatewayClass with the controllerName ${controllerName}`,
    };
  return second === undefined
    ? { kind: "one", key: first }
    : { kind: "none", message: `there are several Gateways; choose one with --gateway: ${list}` };
}
