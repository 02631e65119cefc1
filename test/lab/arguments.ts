import { parseArgs } from "node:util";
import { type ComponentName, componentNames, isComponentName } from "./components.ts";
import type { Channel } from "./gateway-api.ts";
import { messageOf } from "./lab-error.ts";
import type { UpOptions } from "./lab.ts";

export type LabCommand =
  | { readonly kind: "up"; readonly options: UpOptions }
  | { readonly kind: "down" | "status" | "build" }
  | { readonly kind: "kubectl" | "exec"; readonly args: readonly string[] }
  | { readonly kind: "start" | "stop" | "restart"; readonly component: ComponentName }
  | { readonly kind: "logs"; readonly component: ComponentName; readonly follow: boolean }
  | { readonly kind: "crds"; readonly channel: Channel }
  | { readonly kind: "image"; readonly match: string; readonly root: string; readonly config: string | undefined };

export type ParsedArguments =
  | { readonly kind: "command"; readonly name: string; readonly command: LabCommand }
  | { readonly kind: "help" }
  | { readonly kind: "wrong"; readonly message: string };

export const usage = `Usage: npm run lab -- [--name NAME] COMMAND

A Kubernetes cluster on this host without containers: the real API server, controllers, scheduler, kube-proxy and etcd in a network
namespace, and a node that runs pods as processes. See docs/lab.md for what it needs.

  up [--without-cluster-trust-bundle | --with-cluster-trust-bundle] [--max-grace SECONDS]
                            starts it, or what of it has ended; switches a running one
  down                      ends every process of it, and removes all that is left
  status                    what runs, and how many pods are ready
  kubectl ARGS…             kubectl, as an administrator
  exec COMMAND ARGS…        a command in the lab's network, with KUBECONFIG set
  crds [standard|experimental]
                            installs the CRDs of the Gateway API (experimental unless said otherwise)
  image NAME FOLDER [--config FILE]
                            images whose reference contains NAME run from this root file system; FILE is their OCI configuration
  start|stop|restart COMPONENT
                            one of ${componentNames.join(", ")}
  logs COMPONENT [--follow]
  build                     only builds the programs

  --name NAME               labs with different names run side by side (default lab, or $GATEWRIGHT_LAB_NAME)
  --help                    this text
`;

const wrong = (message: string): ParsedArguments => ({ kind: "wrong", message });

/** Reads the command line. What follows kubectl and exec is theirs. */
export function parseArguments(argv: readonly string[], env: NodeJS.ProcessEnv): ParsedArguments {
  let name = env["GATEWRIGHT_LAB_NAME"] ?? "lab";
  const rest = [...argv];
  while (rest[0]?.startsWith("-") === true) {
    const option = rest.shift() ?? "";
    const [, inline] = /^--name=(.*)$/.exec(option) ?? [];
    if (option === "--help" || option === "-h") return { kind: "help" };
    if (option !== "--name" && inline === undefined) return wrong(`unknown option ${option}`);
    const value = inline ?? rest.shift();
    if (value === undefined) return wrong("--name needs a name");
    name = value;
  }
  const [verb, ...args] = rest;
  if (verb === undefined) return wrong("which command?");
  if (verb === "help") return { kind: "help" };
  if (verb !== "kubectl" && verb !== "exec" && args.includes("--help")) return { kind: "help" };
  try {
    const command = parseCommand(verb, args);
    return typeof command === "string" ? wrong(command) : { kind: "command", name, command };
  } catch (error) {
    // What parseArgs says of an unknown option.
    return wrong(messageOf(error));
  }
}

/** A command, or what is wrong with it. */
function parseCommand(verb: string, args: string[]): LabCommand | string {
  switch (verb) {
    case "up":
      return parseUp(args);
    case "down":
    case "status":
    case "build":
      parseArgs({ args, options: {} });
      return { kind: verb };
    case "kubectl":
      return { kind: verb, args };
    case "exec":
      return args.length === 0 ? "exec needs a command" : { kind: verb, args };
    case "start":
    case "stop":
    case "restart":
      return withComponent(verb, args, (component) => ({ kind: verb, component }));
    case "logs":
      return withComponent(verb, args, (component, follow) => ({ kind: verb, component, follow }));
    case "crds":
      return parseCrds(args);
    case "image":
      return parseImage(args);
    default:
      return `unknown command ${verb}`;
  }
}

function withComponent(
  verb: string,
  args: string[],
  make: (component: ComponentName, follow: boolean) => LabCommand,
): LabCommand | string {
  const follow = { type: "boolean", short: "f", default: false } as const;
  const { positionals, values } = parseArgs({
    args,
    options: verb === "logs" ? { follow } : {},
    allowPositionals: true,
  });
  const [component, ...more] = positionals;
  if (component === undefined || more.length > 0 || !isComponentName(component))
    return `${verb} needs one of ${componentNames.join(", ")}`;
  return make(component, values.follow === true);
}

function parseCrds(args: string[]): LabCommand | string {
  const [channel = "experimental"] = parseArgs({ args, options: {}, allowPositionals: true }).positionals;
  if (channel === "standard" || channel === "experimental") return { kind: "crds", channel };
  return `there is no channel ${channel}: standard or experimental`;
}

function parseImage(args: string[]): LabCommand | string {
  const options = { config: { type: "string" } } as const;
  const { positionals, values } = parseArgs({ args, options, allowPositionals: true });
  const [match, root, ...more] = positionals;
  if (match === undefined || root === undefined || more.length > 0) return "image needs a name and a folder";
  return { kind: "image", match, root, config: values.config };
}

function parseUp(args: string[]): LabCommand | string {
  const { values } = parseArgs({
    args,
    options: {
      "with-cluster-trust-bundle": { type: "boolean", default: false },
      "without-cluster-trust-bundle": { type: "boolean", default: false },
      "max-grace": { type: "string" },
    },
  });
  const on = values["with-cluster-trust-bundle"];
  const off = values["without-cluster-trust-bundle"];
  if (on && off) return "with or without ClusterTrustBundles: not both";
  const grace = values["max-grace"];
  if (grace !== undefined && !/^\d+$/.test(grace)) return "--max-grace needs a number of seconds";
  return {
    kind: "up",
    options: {
      ...((on || off) && { clusterTrustBundle: on }),
      ...(grace !== undefined && { maxGraceSeconds: Number(grace) }),
    },
  };
}
