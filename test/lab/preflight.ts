// What a host must have for the lab, looked at before anything is started: each thing that is missing is said, with what to do.
import { spawn } from "node:child_process";
import { access, constants } from "node:fs/promises";
import path from "node:path";

/** What is asked of a host; tests have others. */
export type Host = {
  readonly platform: string;
  readonly arch: string;
  readonly userId: number;
  readonly hasTool: (name: string) => Promise<boolean>;
  /** Runs a command with something as its input, and gives what it said on standard error if it failed. */
  readonly attempt: (command: readonly string[], input: string) => Promise<{ readonly error?: string }>;
};

export type Problem = { readonly what: string; readonly remedy: string };

const tools: readonly (readonly [tool: string, debianPackage: string])[] = [
  ["ip", "iproute2"],
  ["nft", "nftables"],
  ["nsenter", "util-linux"],
  ["unshare", "util-linux"],
  ["mount", "mount"],
  ["bash", "bash"],
];

// What kube-proxy and the lab's own rules use.
const netfilter = `table inet probe {
  chain nat {
    type nat hook output priority -100; policy accept;
    ip daddr 198.19.0.1 tcp dport 1 dnat ip to 198.18.0.1:2
  }
  chain filter {
    type filter hook output priority 0; policy accept;
    ct state new fib daddr type local accept
    numgen random mod 2 == 0 accept
    reject with icmp type host-unreachable
  }
}
`;

const overlay = [
  'd=$(mktemp -d) && mount -t tmpfs tmpfs "$d" && mkdir "$d/l" "$d/u" "$d/w" "$d/m"',
  'mount -t overlay overlay -o "lowerdir=$d/l,upperdir=$d/u,workdir=$d/w" "$d/m"; status=$?',
  'umount -R "$d"; rmdir "$d"; exit $status',
].join("\n");

// Each in namespaces of its own, which end with the command.
const kernel: readonly (readonly [feature: string, options: string, command: readonly string[], input: string])[] = [
  [
    "namespaces of processes, mounts and networks",
    "CONFIG_PID_NS, CONFIG_NET_NS",
    ["--pid", "--mount", "--net", "--uts", "--ipc", "--fork", "--mount-proc", "true"],
    "",
  ],
  [
    "pairs of virtual network interfaces",
    "CONFIG_VETH",
    ["--net", "ip", "link", "add", "probe0", "type", "veth", "peer", "name", "probe1"],
    "",
  ],
  [
    "nftables with address translation",
    "CONFIG_NF_TABLES_INET, CONFIG_NFT_NAT, CONFIG_NFT_FIB_INET, CONFIG_NFT_NUMGEN, CONFIG_NFT_CT, CONFIG_NFT_REJECT_INET",
    ["--net", "nft", "-f", "-"],
    netfilter,
  ],
  ["overlay file systems", "CONFIG_OVERLAY_FS", ["--mount", "bash", "-c", overlay], ""],
];

/** All that is missing; nothing if the lab can run here. */
export async function preflight(host: Host = thisHost): Promise<readonly Problem[]> {
  if (host.platform !== "linux")
    return [{ what: `this is ${host.platform}`, remedy: "the lab is made of Linux namespaces: use a Linux machine" }];
  const problems: Problem[] = [];
  if (host.arch !== "x64" && host.arch !== "arm64")
    problems.push({ what: `the processor is ${host.arch}`, remedy: "Envoy and the rest are had for x64 and arm64" });
  const missing = [];
  for (const entry of tools) if (!(await host.hasTool(entry[0]))) missing.push(entry);
  for (const [tool, debianPackage] of missing)
    problems.push({
      what: `${tool} is not on the path`,
      remedy: `on Debian and Ubuntu: apt-get install ${debianPackage}`,
    });
  if (host.userId !== 0) {
    problems.push({
      what: `user ${host.userId} is not root`,
      remedy:
        "run it as root (or in a user namespace that maps root: unshare --user --map-root-user does not suffice for mounts of /proc)",
    });
    return problems;
  }
  if (missing.length > 0) return problems;
  for (const [feature, options, command, input] of kernel) {
    const { error } = await host.attempt(["unshare", ...command], input);
    if (error !== undefined)
      problems.push({
        what: `the kernel does not give ${feature}: ${error}`,
        remedy: `it needs ${options}; in a container, also the privilege to use them`,
      });
  }
  return problems;
}

export const formatProblems = (problems: readonly Problem[]): string =>
  ["The lab cannot run here:", ...problems.map(({ what, remedy }) => `- ${what}\n  ${remedy}`)].join("\n");

const thisHost: Host = {
  platform: process.platform,
  arch: process.arch,
  userId: process.getuid?.() ?? -1,
  hasTool: async (name) => {
    for (const folder of (process.env["PATH"] ?? "").split(path.delimiter)) {
      const found = await access(path.join(folder, name), constants.X_OK).then(
        () => true,
        () => false,
      );
      if (found) return true;
    }
    return false;
  },
  attempt: (command, input) =>
    new Promise((resolve) => {
      const [program = "", ...args] = command;
      const child = spawn(program, args, { stdio: ["pipe", "ignore", "pipe"] });
      let said = "";
      child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
      child.on("error", (error) => resolve({ error: error.message }));
      child.on("close", (code) =>
        resolve(code === 0 ? {} : { error: said.trim().split("\n")[0] ?? `exit code ${code}` }),
      );
      // One that ends before it has read its input closes the pipe.
      child.stdin.on("error", () => undefined);
      child.stdin.end(input);
    }),
};
