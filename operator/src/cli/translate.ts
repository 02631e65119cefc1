import { Command, Option } from "commander";
import { stringify } from "yaml";
import { createLogger } from "../lib/index.ts";
import { formatProblem } from "../standalone/index.ts";
import { resourceTypes, type ResourceType } from "../xds/index.ts";
import { envoyOutput } from "./envoy-output.ts";
import { type ExitCode, exitCodes, type Finish, type Io } from "./io.ts";
import { readManifests } from "./manifests.ts";
import { classOption, controllerOption, objectName, rootNamespace } from "./options.ts";
import { problemsOf } from "./problems.ts";
import { translateObjects } from "./translation.ts";

type Options = {
  readonly output: "yaml" | "json";
  readonly kind?: ResourceType;
  readonly gateway?: string;
  readonly bind: string;
  readonly showSecrets: boolean;
  readonly gatewayClass: string;
  readonly controllerName: string;
};

export function translateCommand(io: Io, finish: Finish): Command {
  return new Command("translate")
    .description("Print the Envoy configuration that a Gateway comes to. Nothing is started or changed.")
    .argument("<file...>", "files or folders to read; - is standard input")
    .addOption(new Option("-o, --output <format>", "how to print it").choices(["yaml", "json"]).default("yaml"))
    .addOption(new Option("-k, --kind <kind>", "only resources of this kind").choices(resourceTypes))
    .addOption(
      new Option("-g, --gateway <namespace/name>", "which Gateway, where there are several").argParser(objectName),
    )
    .option("--bind <address>", "the address where Gateways listen that ask for none", "0.0.0.0")
    .option("--show-secrets", "print private keys", false)
    .addOption(classOption())
    .addOption(controllerOption())
    .addHelpText(
      "after",
      `
Examples:
  gatewright translate ./manifests > envoy.yaml && envoy --mode validate -c envoy.yaml
  gatewright translate gateway.yaml routes.yaml --kind route
  kubectl get gateways,httproutes,services,endpointslices -A -o yaml | gatewright translate - -g demo/web

Problems go to standard error. Exit codes: 0 translated, 1 translated with problems, 2 could not be translated.
`,
    )
    .action(async (paths: string[], options: Options) => finish(await translate(paths, options, io)));
}

async function translate(paths: readonly string[], options: Options, io: Io): Promise<ExitCode> {
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
  const problems = [...manifests.problems, ...problemsOf(translation, manifests.place)];
  for (const problem of problems) io.err(`${problem.isWarning ? "warning: " : ""}${formatProblem(problem)}\n`);
  const gateway = chooseGateway(translation.gateways, options);
  if (gateway.kind === "none") return complain(gateway.message);
  const output = envoyOutput(translation.xds, {
    gateway: gateway.key,
    kind: options.kind,
    showSecrets: options.showSecrets,
  });
  io.out(
    options.output === "json"
      ? `${JSON.stringify(output, undefined, 2)}\n`
      : stringify(output, { aliasDuplicateObjects: false, lineWidth: 0 }),
  );
  await translation.close();
  return problems.some(({ isWarning }) => !isWarning) ? exitCodes.problems : exitCodes.ok;
}

type Choice = { readonly kind: "one"; readonly key: string } | { readonly kind: "none"; readonly message: string };

function chooseGateway(gateways: readonly string[], { gateway, gatewayClass, controllerName }: Options): Choice {
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
