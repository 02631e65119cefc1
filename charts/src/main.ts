// `npm run charts -- ...` prints what a cluster must have for Gatewright: see arguments.ts for what there is.
import { App, type Chart, Yaml } from "cdk8s";
import { type Arguments, parseArguments, usage } from "./arguments.ts";
import { Crds, Operator, OperatorGuard, OperatorRoles, UserRoles } from "./index.ts";

function main(): number {
  const parsed = parseArguments(process.argv.slice(2));
  switch (parsed.kind) {
    case "help":
      process.stdout.write(usage);
      return 0;
    case "wrong":
      process.stderr.write(`${parsed.message}\n\n${usage}`);
      return 2;
    case "crds":
    case "install":
      process.stdout.write(Yaml.stringify(...chartsOf(parsed).flatMap((chart) => chart.toJson() as unknown[])));
      return 0;
  }
}

/** In the order in which a cluster takes them: the namespace before what is in it, definitions before objects of their kinds. */
function chartsOf(parsed: Extract<Arguments, { kind: "crds" | "install" }>): readonly Chart[] {
  const app = new App();
  const definitions = parsed.channel === undefined ? [] : [new Crds(app, "crds", parsed.channel, parsed.overlay)];
  const roles = new UserRoles(app, "user-roles");
  if (parsed.kind === "crds") return [...definitions, roles];
  const { operator, guard } = parsed;
  return [
    ...definitions,
    roles,
    new OperatorRoles(app, "operator-roles", operator),
    ...(guard ? [new OperatorGuard(app, "operator-guard", operator)] : []),
    new Operator(app, "operator", operator),
  ];
}

process.exitCode = main();
