import { Command, Option } from "commander";
import { createLogger, type LogFormat, type LogLevel } from "../lib/index.ts";
import type { OperatorEnd } from "../operator/index.ts";
import { type ExitCode, exitCodes, type Finish, type Io } from "./io.ts";
import { controllerOption, logFormatOption, logLevelOption, rootNamespace, wholeNumber } from "./options.ts";
import { productVersion } from "./version.ts";

type Options = {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly controllerName: string;
  readonly adsPort: number;
  readonly adsName?: string;
  readonly healthPort: number;
  readonly metricsPort: number;
  readonly leaderElection: boolean;
  readonly identitySecret: string;
  readonly proxyImage?: string;
  readonly discoverySeconds: number;
  readonly clusterTrustBundles: boolean;
  readonly logLevel?: LogLevel;
  readonly logFormat: LogFormat;
};

const portOption = (flag: string, what: string, usual: number): Option =>
  new Option(`${flag} <port>`, what).argParser(wholeNumber(0, 65_535)).default(usual);

export function operatorCommand(io: Io, finish: Finish): Command {
  return new Command("operator")
    .description("Serve the Gateways of a Kubernetes cluster: deploy their Envoys, configure them, and write statuses.")
    .option(
      "--kubeconfig <file>",
      "how to reach the cluster; also KUBECONFIG. In a pod its service account unless given",
    )
    .option("--context <name>", "a context of the kubeconfig other than its current one")
    .option("--namespace <name>", "where the operator's own objects are (default: that of the pod or context)")
    .addOption(controllerOption())
    .addOption(portOption("--ads-port", "where proxies get their configuration, by mTLS", 18_000))
    .option("--ads-name <host>", "the name by which proxies reach that port (default: gatewright.<namespace>.svc)")
    .addOption(portOption("--health-port", "/healthz and /readyz", 8081))
    .addOption(portOption("--metrics-port", "/metrics, for Prometheus", 9090))
    .option("--no-leader-election", "write without asking other replicas: for one that is alone")
    .option(
      "--identity-secret <name>",
      "the Secret with the authority that operator and proxies trust",
      "gatewright-ca",
    )
    .option("--proxy-image <image>", "the image of Envoy, where no MeshConfig names one")
    .addOption(
      new Option("--discovery-seconds <seconds>", "how often to look for kinds that came or went")
        .argParser(wholeNumber(1, 86_400))
        .default(30),
    )
    .option("--no-cluster-trust-bundles", "as in a cluster that has none: policies that name one say InvalidKind")
    .addOption(logLevelOption())
    .addOption(logFormatOption())
    .addHelpText("after", examples)
    .action(async (options: Options) => finish(report(io, await run(io, options))));
}

const examples = `
Examples:
  gatewright operator
  gatewright operator --kubeconfig ~/.kube/config --context dev --namespace gatewright-system

Exit codes: 0 ended by a signal, 2 could not run.
`;

async function run(io: Io, options: Options): Promise<OperatorEnd> {
  const { logLevel, logFormat, discoverySeconds, ...rest } = options;
  const logger = createLogger({ level: logLevel ?? "info", format: logFormat, write: io.err });
  // Here, so that help and mistakes of usage need not load the product.
  const { runOperator } = await import("../operator/index.ts");
  return runOperator({
    ...rest,
    version: productVersion(),
    defaultNamespace: rootNamespace,
    discoveryIntervalMs: discoverySeconds * 1000,
    logger,
    env: io.env,
    onEndRequest: io.onEndRequest,
  });
}

function report(io: Io, end: OperatorEnd): ExitCode {
  if (end.kind === "failed") io.err(`error: ${end.message}\n`);
  return end.kind === "failed" ? exitCodes.failed : exitCodes.ok;
}
