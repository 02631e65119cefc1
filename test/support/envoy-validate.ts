import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { envoyBinary } from "./envoy.ts";

/** As `envoy -c` reads it. */
export type StaticConfig = {
  readonly static_resources?: {
    readonly listeners?: readonly Named[];
    readonly clusters?: readonly Named[];
    readonly secrets?: readonly Named[];
  };
};

type Named = { readonly name: string; readonly [field: string]: unknown };

/**
 * Asks Envoy (`--mode validate`) about configurations, all in one start, and gives what it refuses with its words. Where it
 * refuses the lot, the halves of it are tried until the culprits are found.
 */
export async function refusedByEnvoy(configs: ReadonlyMap<string, StaticConfig>): Promise<ReadonlyMap<string, string>> {
  const refused = new Map<string, string>();
  await search([...configs], refused);
  return refused;
}

type Case = readonly [string, StaticConfig];

async function search(batch: readonly Case[], refused: Map<string, string>): Promise<void> {
  const verdict = await validate(merge(batch.map(([, config]) => config)));
  if (verdict === undefined) return;
  const [first] = batch;
  if (batch.length === 1 && first !== undefined) {
    refused.set(first[0], verdict);
    return;
  }
  const middle = Math.ceil(batch.length / 2);
  await search(batch.slice(0, middle), refused);
  await search(batch.slice(middle), refused);
}

/** Envoy's words, or undefined where it is content. */
async function validate(config: StaticConfig): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "gatewright-validate-"));
  try {
    const file = join(folder, "envoy.json");
    await writeFile(file, JSON.stringify(config));
    const args = ["--mode", "validate", "-c", file, "--log-level", "error", "--concurrency", "1"];
    const binary = await envoyBinary();
    return await new Promise((resolve) => {
      execFile(binary, args, { maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
        resolve(error === null ? undefined : `${stdout}${stderr}`.slice(0, 4_000) || error.message),
      );
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** One file for all: listeners, clusters and secrets get names of their own, listeners also addresses; nothing is bound in this mode. */
function merge(configs: readonly StaticConfig[]): StaticConfig {
  const all = configs.map(({ static_resources: resources = {} }, index) => own(resources, index));
  const listeners = all.flatMap((resources) => resources.listeners ?? []);
  return {
    ...configs[0],
    static_resources: {
      clusters: all.flatMap(({ clusters = [] }) => clusters),
      secrets: all.flatMap(({ secrets = [] }) => secrets),
      listeners: listeners.map((listener, number) => ({
        ...listener,
        name: `${number}-${listener.name}`,
        address: {
          socket_address: {
            ...("udp_listener_config" in listener && { protocol: "UDP" }),
            address: `127.1.${number >> 8}.${number & 255}`,
            port_value: 10_000,
          },
        },
      })),
    },
  };
}

type Resources = NonNullable<StaticConfig["static_resources"]>;

/** Wherever one of the names stands, it is a reference: a string of these forms is nothing else. */
function own(resources: Resources, index: number): Resources {
  const names = new Set([...(resources.clusters ?? []), ...(resources.secrets ?? [])].map(({ name }) => name));
  const renamed = <T>(value: T): T =>
    JSON.parse(JSON.stringify(value), (_, part: unknown) =>
      typeof part === "string" && names.has(part) ? `${index}/${part}` : part,
    );
  return renamed(resources);
}
