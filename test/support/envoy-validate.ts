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
 * Asks Envoy (`--mode validate`) about configurations, many in one start, and gives what it refuses with its words. Where it
 * refuses a batch, the halves of it are tried until the culprits are found.
 */
export async function refusedByEnvoy(configs: ReadonlyMap<string, StaticConfig>): Promise<ReadonlyMap<string, string>> {
  const refused = new Map<string, string>();
  for (const batch of batches([...configs])) await search(batch, refused);
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

/** Configurations in one file must not name different clusters or secrets alike. */
function batches(cases: readonly Case[]): readonly (readonly Case[])[] {
  const open: { readonly cases: Case[]; readonly names: Map<string, string> }[] = [];
  for (const entry of cases) {
    const named = sharedResources(entry[1]);
    const fits = ({ names }: { names: Map<string, string> }) =>
      named.every(([name, text]) => (names.get(name) ?? text) === text);
    let batch = open.find(fits);
    if (batch === undefined) open.push((batch = { cases: [], names: new Map() }));
    batch.cases.push(entry);
    for (const [name, text] of named) batch.names.set(name, text);
  }
  return open.map((batch) => batch.cases);
}

const sharedResources = ({
  static_resources: { clusters = [], secrets = [] } = {},
}: StaticConfig): [string, string][] => [
  ...clusters.map((cluster): [string, string] => [`cluster ${cluster.name}`, JSON.stringify(cluster)]),
  ...secrets.map((secret): [string, string] => [`secret ${secret.name}`, JSON.stringify(secret)]),
];

function merge(configs: readonly StaticConfig[]): StaticConfig {
  const byName = (resources: readonly Named[]) => [...new Map(resources.map((one) => [one.name, one])).values()];
  const all = configs.map(({ static_resources: resources = {} }) => resources);
  let listeners = 0;
  return {
    ...configs[0],
    static_resources: {
      clusters: byName(all.flatMap(({ clusters = [] }) => clusters)),
      secrets: byName(all.flatMap(({ secrets = [] }) => secrets)),
      // Names and addresses of their own; nothing is bound in this mode.
      listeners: all.flatMap((resources) =>
        (resources.listeners ?? []).map((listener) => {
          const number = listeners++;
          const address = `127.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255 || 1}`;
          return {
            ...listener,
            name: `${number}-${listener.name}`,
            address: { socket_address: { address, port_value: 10_000 + (number % 50_000) } },
          };
        }),
      ),
    },
  };
}
