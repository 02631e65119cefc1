import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type AssembleOptions, assembleImage, type BuiltImage, type Contents } from "./assemble.ts";
import { readPins } from "./debian/pins.ts";
import { sha256 } from "./download.ts";
import { file, folder, link } from "./entry.ts";
import { readLock, readManifest } from "./project.ts";
import { unpackImage } from "./unpack.ts";

const contents: Contents = {
  debian: [folder("tmp", 0o1777), file("usr/lib/libc.so", "library"), link("lib", "usr/lib")],
  node: [file("usr/local/bin/node", "node", 0o755)],
  dependencies: [
    file("app/node_modules/pino/package.json", "{}"),
    file("app/node_modules/@peculiar/x509/package.json", "{}"),
  ],
  gatewright: [file("app/operator/dist/main.js", "operator")],
};

describe("an image", () => {
  let work: string;
  before(async () => (work = await mkdtemp(path.join(tmpdir(), "image-"))));
  after(() => rm(work, { recursive: true }));

  let count = 0;
  /** Assembles an image in a new folder with a cache of its own. */
  async function assemble(changes: Partial<Contents> = {}, more: Partial<AssembleOptions> = {}) {
    const output = path.join(work, `layout-${count++}`);
    const all = { ...contents, ...changes };
    const image = await assembleImage({
      output,
      cache: `${output}-cache`,
      platforms: [
        { architecture: "amd64", contents: all },
        { architecture: "arm64", contents: all },
      ],
      manifest: await readManifest(),
      lock: await readLock(),
      pins: await readPins(),
      source: { created: new Date(1_700_000_000_000), revision: "abc" },
      report: () => undefined,
      ...more,
    });
    return { output, image };
  }
  const layersOf = ({ platforms }: BuiltImage) =>
    Object.fromEntries(platforms[0]?.layers.map(({ name, descriptor }) => [name, descriptor.digest]) ?? []);
  const blob = async (output: string, digest: string) =>
    await readFile(path.join(output, "blobs", ...digest.split(":")));
  const json = async <T>(output: string, digest: string) =>
    JSON.parse((await blob(output, digest)).toString("utf8")) as T;
  type Ref = { readonly digest: string };
  type Manifest = { readonly config: Ref; readonly layers: readonly Ref[]; readonly subject: Ref };

  it("of the same contents has the same digests, in whatever order they come", async () => {
    const one = await assemble();
    const other = await assemble({ dependencies: contents.dependencies.toReversed() });
    assert.equal(other.image.digest, one.image.digest);
    // With what has been compressed before, as well.
    const again = await assemble({}, { cache: `${one.output}-cache` });
    assert.equal(again.image.digest, one.image.digest);
    const files = (folder_: string) => readdir(folder_, { recursive: true }).then((names) => names.toSorted());
    assert.deepEqual(await files(again.output), await files(one.output));
  });

  it("of other contents has other digests only where they are", async () => {
    const one = await assemble();
    const other = await assemble({ gatewright: [file("app/operator/dist/main.js", "changed")] });
    assert.notEqual(other.image.digest, one.image.digest);
    const { gatewright, ...rest } = layersOf(one.image);
    const { gatewright: changed, ...same } = layersOf(other.image);
    assert.deepEqual(same, rest);
    assert.notEqual(changed, gatewright);
  });

  it("is a layout in which every blob has its hash and all that is referred to is there", async () => {
    const { output, image } = await assemble();
    const blobs = await readdir(path.join(output, "blobs", "sha256"));
    for (const name of blobs) assert.equal(sha256(await readFile(path.join(output, "blobs", "sha256", name))), name);
    const top = await readFile(path.join(output, "index.json"), "utf8");
    const texts = await Promise.all(
      blobs.map((name) => readFile(path.join(output, "blobs", "sha256", name), "latin1")),
    );
    const isJson = (text: string) => text.startsWith("{") && !text.includes("SPDXID");
    const referred = [top, ...texts.filter(isJson)].flatMap((text) => [...text.matchAll(/"digest":"sha256:(\w+)"/g)]);
    assert.deepEqual([...new Set(referred.map(([, digest]) => digest ?? ""))].toSorted(), blobs.toSorted());
    assert.match(top, new RegExp(image.digest));
    assert.equal(await readFile(path.join(output, "oci-layout"), "utf8"), '{"imageLayoutVersion":"1.0.0"}');
  });

  it("says that it runs as nobody in particular, and what it is", async () => {
    const { output, image } = await assemble();
    const manifest = await json<Manifest>(output, image.platforms[1]?.manifest.digest ?? "");
    type Config = { User: string; Entrypoint: string[]; Labels: Record<string, string> };
    type Image = { config: Config; architecture: string; rootfs: { diff_ids: string[] } };
    const { config, architecture, rootfs } = await json<Image>(output, manifest.config.digest);
    const { User, Entrypoint, Labels } = config;
    assert.equal(architecture, "arm64");
    assert.equal(User, "65532:65532");
    assert.deepEqual(Entrypoint, ["/usr/local/bin/gatewright"]);
    assert.equal(Labels["org.opencontainers.image.version"], (await readManifest()).version);
    assert.equal(Labels["org.opencontainers.image.revision"], "abc");
    assert.equal(Labels["org.opencontainers.image.created"], "2023-11-14T22:13:20.000Z");
    assert.deepEqual(
      rootfs.diff_ids,
      image.platforms[1]?.layers.map(({ diffId }) => diffId),
    );
  });

  it("carries a list of what is in it, which a registry finds by the image", async () => {
    const { output, image } = await assemble();
    const top = JSON.parse(await readFile(path.join(output, "index.json"), "utf8")) as {
      manifests: { digest: string; artifactType?: string }[];
    };
    const artifacts = top.manifests.filter(({ artifactType }) => artifactType === "application/spdx+json");
    const attached = await Promise.all(artifacts.map(({ digest }) => json<Manifest>(output, digest)));
    assert.deepEqual(
      attached.map(({ subject }) => subject.digest),
      image.platforms.map(({ manifest }) => manifest.digest),
    );
    type Sbom = {
      packages: { SPDXID: string; name: string; versionInfo: string }[];
      relationships: { spdxElementId: string; relatedSpdxElement: string }[];
    };
    const sbom = await json<Sbom>(output, attached[0]?.layers[0]?.digest ?? "");
    const names = sbom.packages.map(({ name }) => name);
    // Of dependencies, those that are there; of Debian and of ours, all.
    for (const name of ["gatewright", "node", "libc6", "pino", "@peculiar/x509", "@gatewright/operator"])
      assert.ok(names.includes(name), name);
    assert.ok(!names.includes("yaml"));
    const ids = new Set(["SPDXRef-DOCUMENT", ...sbom.packages.map(({ SPDXID }) => SPDXID)]);
    assert.equal(ids.size, sbom.packages.length + 1);
    for (const id of ids) assert.match(id, /^SPDXRef-[A-Za-z0-9.-]+$/);
    for (const { spdxElementId, relatedSpdxElement } of sbom.relationships)
      assert.ok(ids.has(spdxElementId) && ids.has(relatedSpdxElement));
  });

  it("is unpacked as it is, in the place of what was there", async () => {
    const { output } = await assemble();
    const target = path.join(work, "unpacked");
    await unpackImage(output, "amd64", target);
    await writeFile(path.join(target, "root", "stale"), "");
    await symlink("/nowhere", path.join(target, "root", "stale-link"));
    const { root, config } = await unpackImage(output, "amd64", target);
    assert.deepEqual((await readdir(root)).toSorted(), ["app", "lib", "tmp", "usr"]);
    assert.equal(await readlink(path.join(root, "lib")), "usr/lib");
    assert.equal((await stat(path.join(root, "tmp"))).mode & 0o7777, 0o1777);
    assert.equal((await stat(path.join(root, "usr/local/bin/node"))).mode & 0o7777, 0o755);
    assert.equal((JSON.parse(await readFile(config, "utf8")) as { os: string }).os, "linux");
    await assert.rejects(unpackImage(output, "riscv" as "amd64", target), /no image for linux\/riscv/);
  });

  it("leaves nothing half done where a part cannot be made", async () => {
    const output = path.join(work, "broken");
    const broken = assemble({}, { output, pins: { release: "x", packages: {} as never } });
    await assert.rejects(broken);
    assert.deepEqual(
      (await readdir(work)).filter((name) => name.startsWith("broken")),
      [],
    );
  });
});
