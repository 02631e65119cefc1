import { Command, Option } from "commander";
import type { ResourceType } from "../xds/index.ts";
import type { Finish, Io } from "./io.ts";
import { classOption, controllerOption, objectName } from "./options.ts";
import type { TranslateOptions } from "./run-translate.ts";

// Spelled out so that help and mistakes of usage need not load the product.
const kinds: readonly ResourceType[] = [
  "listener",
  "route",
  "virtualHost",
  "cluster",
  "endpoint",
  "secret",
  "extension",
];

export function translateCommand(io: Io, finish: Finish): Command {
  return new Command("translate")
    .description("Print the Envoy configuration that a Gateway comes to. Nothing is started or changed.")
    .argument("<file...>", "files or folders to read; - is standard input")
    .addOption(new Option("-o, --output <format>", "how to print it").choices(["yaml", "json"]).default("yaml"))
    .addOption(new Option("-k, --kind <kind>", "only resources of this kind").choices(kinds))
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
    .action(async (paths: string[], options: TranslateOptions) => {
      const { translate } = await import("./run-translate.ts");
      finish(await translate(paths, options, io));
    });
}
