// Makes an image from contents that are at hand: the same contents are the same digests, wherever and whenever.
import { user } from "./debian/debian-layer.ts";
import type { Pins } from "./debian/pins.ts";
import { type Entry, file } from "./entry.ts";
import { createLayout, type Descriptor, type Layer, makeLayer, mediaTypes } from "./layout.ts";
import { environment, launcherPath, sbomPath } from "./places.ts";
import type { Architecture } from "./platform.ts";
import type { LockFile, Manifest, Source } from "./project.ts";
import { buildSbom } from "./sbom.ts";

/** The layers of an image, of which the lower change less often. */
export const layerNames = ["debian", "node", "dependencies", "gatewright"] as const;
export type Contents = Readonly<Record<(typeof layerNames)[number], readonly Entry[]>>;

export type AssembleOptions = {
  /** Where the layout is written. What is there is replaced. */
  readonly output: string;
  readonly cache: string;
  readonly platforms: readonly { readonly architecture: Architecture; readonly contents: Contents }[];
  readonly manifest: Manifest;
  readonly lock: LockFile;
  readonly pins: Pins;
  readonly source: Source;
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
  readonly layers: readonly Layer[];
};

export async function assembleImage(options: AssembleOptions): Promise<BuiltImage> {
  const { output, cache, manifest, lock, pins, source, report } = options;
  const layout = await createLayout(output);
  try {
    const platforms: BuiltPlatform[] = [];
    const referrers: Descriptor[] = [];
    for (const { architecture, contents } of options.platforms) {
      const entries = layerNames.flatMap((name) => contents[name]);
      const sbom = buildSbom({ architecture, created: source.created, manifest, lock, pins, entries });
      const sbomBytes = Buffer.from(`${JSON.stringify(sbom, undefined, 1)}\n`);
      const parts = [
        ...layerNames.map((name) => ({ name, content: contents[name] })),
        // The last one says what is in the others.
        { name: "sbom", content: [file(sbomPath, sbomBytes)] },
      ];
      const layers: Layer[] = [];
      for (const { name, content } of parts) {
        report(`linux/${architecture}: layer ${name}`);
        layers.push(await makeLayer(name, content, { store: layout, cache }));
      }
      const described = await layout.putJson(mediaTypes.manifest, {
        schemaVersion: 2,
        mediaType: mediaTypes.manifest,
        config: await layout.putJson(mediaTypes.config, imageConfig({ architecture, layers, manifest, source })),
        layers: layers.map(({ descriptor }) => descriptor),
        annotations: labels(manifest, source),
      });
      referrers.push(await attachSbom(layout, described, sbomBytes, source));
      platforms.push({
        architecture,
        manifest: { ...described, platform: { architecture, os: "linux" } },
        layers,
      });
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

/** https://github.com/opencontainers/image-spec/blob/main/config.md */
export function imageConfig({
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
      Env: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
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
