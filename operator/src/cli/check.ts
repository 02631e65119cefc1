import { Command, InvalidArgumentError, Option } from "commander";
import type { Finish, Io } from "./io.ts";
import { classOption, controllerOption } from "./options.ts";
import type { CheckCommandOptions } from "./run-check.ts";

// Spelled out so that help and mistakes of usage need not load the product.
const formats = ["text", "json", "sarif", "junit"];
const minors = { oldest: 30, newest: 37 };

export function checkCommand(io: Io, finish: Finish): Command {
  return new Command("check")
    .description(
      "Say what is wrong with manifests: what kubectl, the API server, Gatewright and Envoy would say of them.",
    )
    .argument("<file...>", "files or folders to read; - is standard input")
    .addOption(new Option("-o, --output <format>", "how to print problems").choices(formats).default("text"))
    .option("--strict", "warnings fail too", false)
    .option("--complete", "the files are all that there is: what they refer to must be in them", false)
    .addOption(
      new Option("--channel <channel>", "release channel of the Gateway API that the cluster has")
        .choices(["standard", "experimental"])
        .default("experimental"),
    )
    .addOption(
      new Option(
        "--kubernetes-version <version>",
        "release of Kubernetes, such as 1.36: which versions of its kinds it serves",
      )
        .argParser(kubernetesMinor)
        .default(minors.newest, `1.${minors.newest}`),
    )
    .option("--against <context>", "also ask a cluster, by a dry run: a context of the kubeconfig")
    .option("--kubeconfig <file>", "how to reach that cluster; also KUBECONFIG")
    .addOption(classOption())
    .addOption(controllerOption())
    .addHelpText("after", examples)
    .action(async (paths: string[], options: CheckCommandOptions) => {
      const { runCheck } = await import("./run-check.ts");
      finish(await runCheck(paths, options, io));
    });
}

const examples = `
Examples:
  gatewright check ./manifests
  gatewright check --strict --complete -o sarif ./manifests > problems.sarif
  kustomize build overlays/prod | gatewright check -
  gatewright check --against staging ./manifests

Exit codes: 0 nothing is wrong, 1 there are problems, 2 it could not run.
`;

function kubernetesMinor(text: string): number {
  const minor = Number(/^v?1\.(\d+)(?:\.\d+)?$/.exec(text)?.[1] ?? Number.NaN);
  if (minor >= minors.oldest && minor <= minors.newest) return minor;
  throw new InvalidArgumentError(`It must be a release from 1.${minors.oldest} to 1.${minors.newest}.`);
}
