// `npm run charts [-- --channel standard|experimental]` prints what a cluster must have before Gatewright's objects can be applied.
import { parseArgs } from "node:util";
import { App, Yaml } from "cdk8s";
import { channels, Crds, UserRoles } from "./index.ts";

const usage = `Usage: npm run --silent charts -- [--channel standard|experimental] | kubectl apply --server-side -f -

Prints the CustomResourceDefinitions of the Gateway API and of Gatewright, and the roles by which people may use Gatewright's.

  --channel NAME   the Gateway API's release channel (default standard)
  --help           this text
`;

function main(): number {
  const { values } = parseArgs({
    options: { channel: { type: "string", default: "standard" }, help: { type: "boolean", default: false } },
  });
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  const channel = channels.find((name) => name === values.channel);
  if (channel === undefined) {
    process.stderr.write(`--channel ${values.channel}: it must be one of ${channels.join(", ")}\n\n${usage}`);
    return 2;
  }
  const app = new App();
  const charts = [new Crds(app, "crds", channel), new UserRoles(app, "user-roles")];
  process.stdout.write(Yaml.stringify(...charts.flatMap((chart) => chart.toJson() as unknown[])));
  return 0;
}

process.exitCode = main();
