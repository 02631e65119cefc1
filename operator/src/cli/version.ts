import { readFileSync } from "node:fs";
import { Command, Option } from "commander";
import { stringify } from "yaml";
import { exitCodes, type Finish, type Io } from "./io.ts";

/** The release of the Gateway API whose types are built in. */
const gatewayApiVersion = "v1.7.0";

export function productVersion(): string {
  const manifest: { version?: unknown } = JSON.parse(
    readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
  );
  return String(manifest.version);
}

export function versionCommand(io: Io, finish: Finish): Command {
  return new Command("version")
    .description("Print the versions of Gatewright, Node, Envoy and the Gateway API.")
    .addOption(
      new Option("-o, --output <format>", "how to print them").choices(["text", "json", "yaml"]).default("text"),
    )
    .option("--envoy <path>", "look at this Envoy")
    .addHelpText("after", "\nExamples:\n  gatewright version\n  gatewright version -o json\n")
    .action(async ({ output, envoy: path }: { output: string; envoy?: string }) => {
      const { envoyVersion, resolveEnvoy } = await import("../standalone/index.ts");
      const envoy = await resolveEnvoy({ path, env: io.env, offline: true });
      const versions = {
        gatewright: productVersion(),
        node: process.versions.node,
        gatewayApi: gatewayApiVersion,
        envoy: {
          expected: envoyVersion,
          ...(envoy.kind === "found" ? { found: envoy.version, path: envoy.path } : {}),
        },
      };
      io.out(format(versions, output));
      finish(exitCodes.ok);
    });
}

type Versions = {
  readonly gatewright: string;
  readonly node: string;
  readonly gatewayApi: string;
  readonly envoy: { readonly expected: string; readonly found?: string; readonly path?: string };
};

function format(versions: Versions, output: string): string {
  if (output === "json") return `${JSON.stringify(versions, undefined, 2)}\n`;
  if (output === "yaml") return stringify(versions);
  const { expected, found, path } = versions.envoy;
  const here =
    found === undefined
      ? "not here yet: fetched when it is first needed"
      : `${found === expected ? "" : `found ${found} `}at ${path}`;
  const lines = [
    ["gatewright", versions.gatewright],
    ["node", versions.node],
    ["gateway api", versions.gatewayApi],
    ["envoy", `${expected} (${here})`],
  ];
  return lines.map(([name = "", value = ""]) => `${name.padEnd(12)} ${value}\n`).join("");
}
