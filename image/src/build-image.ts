// Puts an image together: four layers, of which the lower change less often, and a last one that says what is in them.
import path from "node:path";
import { userCacheFolder } from "../../operator/src/lib/index.ts";
import { debianEntries, user } from "./debian/debian-layer.ts";
import type { Mirrors } from "./debian/mirror.ts";
import { readPins } from "./debian/pins.ts";
import { dependencyEntries } from "./dependencies.ts";
import { file } from "./entry.ts";
import { createLayout, type Descriptor, type Layer, makeLayer, mediaTypes } from "./layout.ts";
import { nodeEntries } from "./node-layer.ts";
import { buildOwnPackages, ownEntries } from "./own-packages.ts";
import { launcherPath, sbomPath } from "./places.ts";
import type { Architecture } from "./platform.ts";
import { type Manifest, readLock, readManifest, readSource, type Source } from "./project.ts";
import { buildSbom } from "./sbom.ts";

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

export type BuiltImage = {
  /** Of the index, by which one pulls it. */
  readonly digest: string;
  readonly platforms: readonly BuiltPlatform[];
};

export type BuiltPlatform = {
  readonly architecture: Architecture;
  readonly manifest: Descriptor;
  readonly config: ImageConfig;
  readonly layers: readonly Layer[];
};

/** https://github.com/opencontainers/image-spec/blob/main/config.md */
export type ImageConfig = ReturnType<typeof imageConfig>;

export const defaultCache = (env: NodeJS.ProcessEnv): string => path.join(userCacheFolder(env), "image");

export async function buildImage(options: BuildOptions): Promise<BuiltImage> {
  const { output, architectures, mirrors = {}, offline = false, env = process.env, report } = options;
  const cache = options.cache ?? defaultCache(env);
  const downloads = path.join(cache, "downloads");
  const [manifest, lock, pins, source] = [await readManifest(), await readLock(), await readPins(), readSource(env)];
  report("building crd-types, constructs and operator");
  await buildOwnPackages();
  const dependencies = await dependencyEntries({ cache, offline, report });
  const own = await ownEntries();

  const layout = await createLayout(output);
  try {
    const layerOptions = { store: layout, cache };
    const platforms: BuiltPlatform[] = [];
    const referrers: Descriptor[] = [];
    for (const architecture of architectures) {
      const common = { architecture, downloads, offline, report };
      const parts = {
        debian: await debianEntries({ ...common, pins, mirrors, env }),
        node: await nodeEntries({ ...common, lock }),
        dependencies,
        gatewright: own,
      };
      const entries = Object.values(parts).flat();
      const sbom = buildSbom({ architecture, created: source.created, manifest, lock, pins, entries });
      const sbomBytes = Buffer.from(`${JSON.stringify(sbom, undefined, 1)}\n`);
      const all = { ...parts, sbom: [file(sbomPath, sbomBytes)] };
      const layers: Layer[] = [];
      for (const [name, content] of Object.entries(all)) {
        report(`linux/${architecture}: layer ${name}`);
        layers.push(await makeLayer(name, content, layerOptions));
      }
      const config = imageConfig({ architecture, layers, manifest, source });
      const described = await layout.putJson(mediaTypes.manifest, {
        schemaVersion: 2,
        mediaType: mediaTypes.manifest,
        config: await layout.putJson(mediaTypes.config, config),
        layers: layers.map(({ descriptor }) => descriptor),
        annotations: labels(manifest, source),
      });
      const platform = { ...described, platform: { architecture, os: "linux" } };
      referrers.push(await attachSbom(layout, described, sbomBytes, source));
      platforms.push({ architecture, manifest: platform, config, layers });
    }
    const index = await layout.putJson(mediaTypes.index, {
      schemaVersion: 2,
      mediaType: mediaTypes.index,
      manifests: platforms.map((platform) => platform.manifest),
      annotations: labels(manifest, source),
    });
    const name = { "org.opencontainers.image.ref.name": manifest.version };
    await layout.finish([{ ...index, annotations: name }, ...referrers]);
    return { digest: index.digest, platforms };
  } finally {
    await layout.abandon();
  }
}

function imageConfig({
  architecture,
  layers,
  manifest,
  source,
}: {
  readonly architecture: Architecture;
  readonly layers: readonly Layer[];
  readonly manifest: Manifest;
  readonly source: Source;
}) {
  const created = source.created.toISOString();
  return {
    created,
    architecture,
    os: "linux",
    config: {
      User: `${user.id}:${user.id}`,
      Env: [
        "PATH=/usr/local/bin:/usr/bin",
        // What Node trusts besides the authorities that it brings: an admin may put another file there.
        "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt",
        // The root may be read-only: what can be had again goes where something writable is usually mounted.
        "GATEWRIGHT_CACHE=/tmp/gatewright",
      ],
      Entrypoint: [`/${launcherPath}`],
      Cmd: ["operator"],
      WorkingDir: "/",
      Labels: labels(manifest, source),
    },
    rootfs: { type: "layers", diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(({ name }) => ({ created, created_by: `npm run image: ${name}` })),
  };
}

/** https://github.com/opencontainers/image-spec/blob/main/annotations.md */
const labels = (manifest: Manifest, { created, revision }: Source): Readonly<Record<string, string>> => ({
  "org.opencontainers.image.created": created.toISOString(),
  "org.opencontainers.image.description": manifest.description,
  "org.opencontainers.image.licenses": manifest.license,
  ...(revision !== undefined && { "org.opencontainers.image.revision": revision }),
  "org.opencontainers.image.title": "Gatewright",
  "org.opencontainers.image.url": "https://gatewright.dev",
  "org.opencontainers.image.version": manifest.version,
});

/** A manifest of its own that refers to the image: https://github.com/opencontainers/image-spec/blob/main/manifest.md#guidelines-for-artifact-usage */
async function attachSbom(
  layout: Awaited<ReturnType<typeof createLayout>>,
  subject: Descriptor,
  sbom: Uint8Array,
  { created }: Source,
): Promise<Descriptor> {
  const annotations = { "org.opencontainers.image.created": created.toISOString() };
  const described = await layout.putJson(mediaTypes.manifest, {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    artifactType: mediaTypes.spdx,
    config: await layout.putJson(mediaTypes.empty, {}),
    layers: [await layout.put(mediaTypes.spdx, sbom)],
    subject,
    annotations,
  });
  return { ...described, artifactType: mediaTypes.spdx, annotations };
}
