import { readFileSync } from "node:fs";
import { createServer, isIPv4 } from "node:net";
import { networkInterfaces } from "node:os";
import { isAnyAddress } from "../lib/index.ts";

/** What this host lets us bind. */
export type Host = {
  /** Whether every address in 127.0.0.0/8 is ours without asking, as on Linux. */
  readonly wholeLoopback: boolean;
  /** Ports below this may not be bound by this user. */
  readonly firstFreePort: number;
  readonly hasAddress: (address: string) => boolean;
  /** How others reach what binds to all addresses. */
  readonly mainAddress: string;
};

export async function inspectHost(): Promise<Host> {
  const wholeLoopback = process.platform === "linux";
  const addresses = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  return {
    wholeLoopback,
    firstFreePort: (await mayBindLowPorts()) ? 0 : lowPortLimit(),
    hasAddress: (address) =>
      (wholeLoopback && isIPv4(address) && address.startsWith("127.")) ||
      isAnyAddress(address) ||
      addresses.some((entry) => entry.address === address),
    mainAddress: addresses.find(({ internal, address }) => !internal && isIPv4(address))?.address ?? "127.0.0.1",
  };
}

export type PortState = "free" | "busy" | "forbidden" | "noAddress";

/** Tries to listen where an Envoy is to listen: Envoys share ports with each other (SO_REUSEPORT) and would not notice a foreign one. */
export function probePort(address: string, port: number): Promise<PortState> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve("busy");
      else if (error.code === "EACCES" || error.code === "EPERM") resolve("forbidden");
      else if (error.code === "EADDRNOTAVAIL" || error.code === "EINVAL") resolve("noAddress");
      else reject(error);
    });
    server.listen({ host: address, port, exclusive: true }, () => server.close(() => resolve("free")));
  });
}

async function mayBindLowPorts(): Promise<boolean> {
  // Any low port tells; a few are tried since one may be in use.
  for (const port of [1, 2, 3, 4]) {
    const state = await probePort("127.0.0.1", port);
    if (state !== "busy") return state === "free";
  }
  return process.getuid?.() === 0;
}

function lowPortLimit(): number {
  try {
    return Number(readFileSync("/proc/sys/net/ipv4/ip_unprivileged_port_start", "utf8"));
  } catch {
    return 1024;
  }
}
