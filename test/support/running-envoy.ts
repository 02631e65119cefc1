import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import { envoyBinary } from "./envoy.ts";

export type RunningEnvoy = {
  /** Asks its admin interface. */
  readonly admin: (path: string) => Promise<string>;
  readonly stop: () => Promise<void>;
};

/** Runs an Envoy on a configuration, which gets an admin interface, and waits until it serves. */
export async function runEnvoy(config: JsonObject): Promise<RunningEnvoy> {
  const folder = await mkdtemp(join(tmpdir(), "gatewright-envoy-"));
  const socketPath = join(folder, "admin.sock");
  const file = join(folder, "envoy.json");
  await writeFile(file, JSON.stringify({ ...config, admin: { address: { pipe: { path: socketPath } } } }));
  const flags = ["--log-level", "error", "--concurrency", "1", "--file-flush-interval-msec", "50"];
  const child = spawn(await envoyBinary(), ["-c", file, "--use-dynamic-base-id", ...flags], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
  let ended = false;
  const exit = once(child, "exit").then(() => (ended = true));
  const stop = async () => {
    child.kill("SIGKILL");
    await exit;
    await rm(folder, { recursive: true });
  };
  const deadline = Date.now() + 20_000;
  while ((await ask(socketPath, "/ready").catch(() => "")) !== "LIVE\n") {
    if (ended || Date.now() > deadline) {
      await stop();
      throw new Error(`Envoy does not serve: ${log.slice(0, 4_000)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return { admin: (path) => ask(socketPath, path), stop };
}

function ask(socketPath: string, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath, path, agent: false }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text: string) => (body += text));
      response.on("end", () => resolve(body));
    });
    asked.on("error", reject);
    asked.end();
  });
}
