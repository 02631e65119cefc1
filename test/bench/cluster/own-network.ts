// The benchmark runs in a network and a mount namespace of its own: ports are those of the products, and nothing of it is seen from
// outside. Both end with it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mustRun } from "../../lab/run-command.ts";

const marker = "GATEWRIGHT_BENCH_NETWORK";

/** Where everything of the benchmark is reached. Of the range for tests of networks; EndpointSlices may not name loopback. */
export const hostAddress = "198.18.0.1";

/** Runs this program again in namespaces of its own and gives its exit code, or undefined where it already runs there. */
export async function enterOwnNetwork(env: NodeJS.ProcessEnv = {}): Promise<number | undefined> {
  if (process.env[marker] === "1") {
    await mustRun(["ip", "link", "set", "lo", "up"]);
    await mustRun(["ip", "address", "add", `${hostAddress}/32`, "dev", "lo"]);
    // For what a kubelet would mount there.
    await mustRun(["mount", "-t", "tmpfs", "tmpfs", "/var/run"]);
    return undefined;
  }
  const asRoot = process.getuid?.() === 0 ? [] : ["--map-root-user"];
  const command = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const child = spawn("unshare", ["--net", "--mount", ...asRoot, "--", ...command], {
    stdio: "inherit",
    env: { ...process.env, ...env, [marker]: "1" },
  });
  // The whole foreground group gets it from the terminal: whoever is inside ends what it has started, and this waits for it.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
  const [code] = await once(child, "exit");
  return typeof code === "number" ? code : 1;
}
