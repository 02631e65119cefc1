import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../../operator/src/main.ts", import.meta.url));

/** `gatewright standalone` as a process of its own, as a user starts it. */
export type Product = {
  /** Rejects, with what it printed, if it ends by itself. */
  readonly ended: Promise<never>;
  readonly stop: () => Promise<void>;
};

/** With `terminal`, it shows its table there; otherwise what it prints is kept for the case that something goes wrong. */
export function startProduct(folder: string, envoy: string, { terminal }: { readonly terminal: boolean }): Product {
  const args = ["--conditions=source", main, "standalone", folder, "--envoy", envoy];
  const child = spawn(process.execPath, args, { stdio: terminal ? "inherit" : ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const exited = once(child, "exit");
  const ended = exited.then(([code, signal]: unknown[]) => {
    throw new Error(`gatewright standalone ended (${String(signal ?? code)})\n${output}`);
  });
  // Whoever waits for it gets the rejection; nobody has to.
  ended.catch(() => undefined);
  return { ended, stop: () => stop(child, exited) };
}

async function stop(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await exited;
}
