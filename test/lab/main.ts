// `npm run lab -- COMMAND`: see arguments.ts for what there is.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { stat } from "node:fs/promises";
import path from "node:path";
import { type LabCommand, parseArguments, usage } from "./arguments.ts";
import { buildPrograms, defaultCacheFolder } from "./build.ts";
import { componentNames } from "./components.ts";
import { gatewayApiCrds } from "./gateway-api.ts";
import { type Lab, openLab } from "./lab.ts";
import { LabError } from "./lab-error.ts";
import { labPrograms } from "./programs.ts";

const exitUsage = 2;
const exitDown = 3;

// Progress is no output: what kubectl prints can be piped on.
const report = (line: string) => console.error(line);

async function main(): Promise<number> {
  const parsed = parseArguments(process.argv.slice(2), process.env);
  if (parsed.kind === "help") {
    console.log(usage);
    return 0;
  }
  if (parsed.kind === "wrong") {
    console.error(`${parsed.message}\n\n${usage}`);
    return exitUsage;
  }
  return await perform(openLab({ name: parsed.name, report }), parsed.command);
}

async function perform(lab: Lab, command: LabCommand): Promise<number> {
  switch (command.kind) {
    case "up":
      await lab.up(command.options);
      report(`kubeconfig, within its network: ${lab.kubeconfig}; logs: ${path.join(lab.folder, "log")}`);
      return 0;
    case "down":
      await lab.down();
      return 0;
    case "status":
      return await printStatus(lab);
    case "build":
      await buildPrograms(labPrograms, { report });
      report(`all programs are built, in ${defaultCacheFolder()}`);
      return 0;
    case "kubectl":
      return await passThrough(await lab.kubectlCommand(command.args), lab);
    case "exec":
      // Says so if the lab is not up.
      await lab.kubectlCommand([]);
      return await passThrough(lab.inside(command.args), lab);
    case "start":
      await lab.start(command.component);
      return 0;
    case "stop":
      await lab.stop(command.component);
      return 0;
    case "restart":
      await lab.stop(command.component);
      await lab.start(command.component);
      return 0;
    case "logs": {
      const options = command.follow ? ["--lines=+1", "--follow"] : ["--lines=+1"];
      return await passThrough(["tail", ...options, lab.logFile(command.component)], lab);
    }
    case "crds": {
      const files = await gatewayApiCrds(command.channel);
      await lab.kubectl(["apply", "--server-side", ...files.map((file) => `--filename=${file}`)]);
      await lab.kubectl(["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"]);
      report(`the ${command.channel} CRDs of the Gateway API are installed`);
      return 0;
    }
    case "image": {
      const root = await folder(command.root);
      const { match, config } = command;
      await lab.addImage({ match, root, ...(config !== undefined && { config: path.resolve(config) }) });
      report(`images whose reference contains ${match} run from ${root}, from their containers' next start on`);
      return 0;
    }
  }
}

async function folder(name: string): Promise<string> {
  const resolved = path.resolve(name);
  const isFolder = await stat(resolved).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new LabError(`${resolved} is no folder`);
  return resolved;
}

/** Runs a command as if it had been called itself. */
async function passThrough([program = "", ...args]: readonly string[], lab: Lab): Promise<number> {
  const child = spawn(program, args, { stdio: "inherit", env: lab.environment });
  // It gets the terminal's Ctrl-C as well, and ends as it likes.
  process.on("SIGINT", () => undefined);
  const [code, signal] = await once(child, "exit");
  return typeof code === "number" ? code : signal === null ? 1 : 130;
}

async function printStatus(lab: Lab): Promise<number> {
  const status = await lab.status();
  if (status.kind === "down") {
    console.log(`the lab "${lab.name}" is not up`);
    return exitDown;
  }
  const minutes = Math.floor((Date.now() - status.startedMs) / 60_000);
  console.log(`the lab "${lab.name}" is up for ${minutes} min, kubeconfig ${lab.kubeconfig}`);
  for (const component of componentNames) {
    const pid = status.components[component];
    console.log(
      `  ${component.padEnd(24)} ${pid === undefined ? `has ended: ${lab.logFile(component)}` : `process ${pid}`}`,
    );
  }
  console.log(`  ${"ClusterTrustBundles".padEnd(24)} ${status.clusterTrustBundle ? "on" : "off"}`);
  const { pods } = status;
  console.log(
    `  ${"pods".padEnd(24)} ${pods === undefined ? "the API server does not answer" : `${pods.ready} of ${pods.all} ready`}`,
  );
  return componentNames.every((component) => status.components[component] !== undefined) ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof LabError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
