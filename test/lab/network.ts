// The network namespace of a lab, and the process that holds its other namespaces.
import { spawn } from "node:child_process";
import { access } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { addresses } from "./addresses.ts";
import { LabError } from "./lab-error.ts";
import { childrenOf, identify, type ProcessIdentity } from "./process-identity.ts";
import { mustRun, runCommand } from "./run-command.ts";

export const networkPath = (name: string): string => path.join("/run/netns", name);

export const networkExists = (name: string): Promise<boolean> =>
  access(networkPath(name)).then(
    () => true,
    () => false,
  );

/** The command that runs another in the network of a lab. */
export const inNetwork = (name: string, command: readonly string[]): readonly string[] => [
  "nsenter",
  `--net=${networkPath(name)}`,
  "--",
  ...command,
];

/** Makes the network: one host with the addresses of the lab, from which nothing leads out. */
export async function createNetwork(name: string): Promise<void> {
  if (!(await networkExists(name))) await mustRun(["ip", "netns", "add", name]);
  const ip = (...args: readonly string[]) => mustRun(inNetwork(name, ["ip", ...args]));
  await ip("link", "set", "lo", "up");
  await ip("address", "replace", `${addresses.node}/32`, "dev", "lo");
  // So that what is sent to Services from here has a source address; kube-proxy's rules translate it on its way out.
  for (const range of [addresses.services, addresses.balancers])
    await ip("route", "replace", range, "dev", "lo", "src", addresses.node);
  await mustRun(inNetwork(name, ["nft", "-f", path.join(import.meta.dirname, "vip-guard.nft")]));
  // /proc/sys/net shows the settings of the network of whoever looks.
  const settings = ["ip_forward=1", "conf/all/rp_filter=0", "conf/default/rp_filter=0"];
  const script = settings.map((setting) => `echo ${setting.replace(/(.*)=(.*)/, "$2 > /proc/sys/net/ipv4/$1")}`);
  await mustRun(inNetwork(name, ["bash", "-c", `set -e; ${script.join("; ")}`]));
}

export const deleteNetwork = async (name: string): Promise<void> => {
  if (await networkExists(name)) await mustRun(["ip", "netns", "delete", name]);
};

/** Whether kube-proxy has written its rules. */
export async function proxyRulesExist(name: string): Promise<boolean> {
  const { stdout } = await runCommand(inNetwork(name, ["nft", "list", "tables"]));
  return stdout.includes("kube-proxy");
}

// Reaps whatever is left to it. Everything in the lab ends with this process, since it is the first of their namespace.
const init = "trap 'exit 0' TERM INT; while :; do sleep 1000000 & wait $!; done";

/** Starts the first process of the lab's process and mount namespaces, and returns it by its number on the host. */
export async function startInit(name: string): Promise<ProcessIdentity> {
  const unshare = ["unshare", "--pid", "--fork", "--kill-child", "--mount", "--mount-proc", "--propagation", "private"];
  const [program = "", ...args] = inNetwork(name, [...unshare, "bash", "-c", init]);
  const child = spawn(program, args, { detached: true, stdio: "ignore" });
  child.unref();
  const ended: { why?: string } = {};
  child.once("error", (error) => (ended.why = error.message));
  child.once("exit", (code) => (ended.why = `unshare ended with ${code}`));
  while (ended.why === undefined) {
    const [first] = await childrenOf(child.pid ?? 0);
    const identity = first === undefined ? undefined : await identify(first);
    if (identity !== undefined) return identity;
    await sleep(10);
  }
  throw new LabError(`the lab's namespaces cannot be made: ${ended.why}`);
}
