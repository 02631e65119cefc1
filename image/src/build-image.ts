// Gathers what an image is made from, and has it assembled.
import path from "node:path";
import { userCacheFolder } from "../../operator/src/lib/index.ts";
import { assembleImage, type BuiltImage, type Contents } from "./assemble.ts";
import { debianEntries } from "./debian/debian-layer.ts";
import type { Mirrors } from "./debian/mirror.ts";
import { readPins } from "./debian/pins.ts";
import { dependencyEntries } from "./dependencies.ts";
import { nodeEntries } from "./node-layer.ts";
import { buildOwnPackages, ownEntries } from "./own-packages.ts";
import type { Architecture } from "./platform.ts";
import { readLock, readManifest, readSource } from "./project.ts";

export type BuildOptions = {
  /** Where the layout is written. What is there is replaced. */
  readonly output: string;
  readonly architectures: readonly Architecture[];
  readonly mirrors?: Mirrors;
  /** Fetch nothing: take all from the cache. */
  readonly offline?: boolean;
  readonly env?: NodeJS.ProcessEnv;
  readonly cache?: string;
  readonly report: (line: string) => void;
};

export const defaultCache = (env: NodeJS.ProcessEnv): string => path.join(userCacheFolder(env), "image");

export async function buildImage(options: BuildOptions): Promise<BuiltImage> {
  const { output, architectures, mirrors = {}, offline = false, env = process.env, report } = options;
  const cache = options.cache ?? defaultCache(env);
  const downloads = path.join(cache, "downloads");
  const [manifest, lock, pins, source] = [await readManifest(), await readLock(), await readPins(), readSource(env)];
  report("building crd-types, constructs and operator");
  await buildOwnPackages();
  const dependencies = await dependencyEntries({ cache, offline, report });
  const gatewright = await ownEntries();
  const platforms: { readonly architecture: Architecture; readonly contents: Contents }[] = [];
  for (const architecture of architectures) {
    const common = { architecture, downloads, offline, report };
    const debian = await debianEntries({ ...common, pins, mirrors, env });
    const node = await nodeEntries({ ...common, lock });
    platforms.push({ architecture, contents: { debian, node, dependencies, gatewright } });
  }
  return await assembleImage({ output, cache, platforms, manifest, lock, pins, source, report });
}
