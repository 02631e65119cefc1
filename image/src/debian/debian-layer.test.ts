import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { writeTar } from "../archive/tar.ts";
import { sha256 } from "../download.ts";
import { complete, type Entry, file } from "../entry.ts";
import { ImageError } from "../image-error.ts";
import { type DebianOptions, debianEntries } from "./debian-layer.ts";
import { type Pin, readPins } from "./pins.ts";
import { parseShown } from "./update-pins.ts";

/** A package as Debian has them, with members that are compressed differently. */
function makeDeb(entries: readonly Entry[], compression: "gz" | "xz" = "gz"): Buffer {
  const compress = (tar: Buffer) =>
    compression === "gz" ? gzipSync(tar) : spawnSync("xz", ["--stdout"], { input: tar }).stdout;
  const member = (name: string, content: Buffer) =>
    Buffer.concat(
      [
        Buffer.from(`${name.padEnd(16)}${"0".padEnd(12)}${"0".padEnd(12)}${"100644".padEnd(8)}`),
        Buffer.from(`${String(content.length).padEnd(10)}\`\n`),
        content,
        Buffer.alloc(content.length % 2, "\n"),
      ].flat(),
    );
  return Buffer.concat([
    Buffer.from("!<arch>\n"),
    member("debian-binary", Buffer.from("2.0\n")),
    member("control.tar.gz", gzipSync(writeTar([file("control", "Package: it\n")]))),
    member(`data.tar.${compression}`, compress(writeTar(complete(entries)))),
  ]);
}

const library = [
  file("usr/lib/x86_64-linux-gnu/libc.so.6", "library", 0o755),
  file("usr/lib/x86_64-linux-gnu/gconv/BIG5.so", "conversion"),
  file("usr/share/doc/libc6/copyright", "licence"),
  file("usr/share/doc/libc6/changelog.gz", "changes"),
  file("etc/ld.so.conf.d/x.conf", ""),
];
const authorities = [
  file("usr/share/ca-certificates/mozilla/B.crt", "B\n"),
  file("usr/share/ca-certificates/mozilla/A.crt", "A\n\n"),
  file("usr/sbin/update-ca-certificates", "script"),
];

describe("what an image has of Debian", () => {
  let work: string;
  let server: Server;
  let mirror: string;
  let asked: string[];
  const served = new Map<string, Buffer>();
  before(async () => {
    server = createServer((request, response) => {
      asked.push(request.url ?? "");
      const content = served.get(request.url ?? "");
      response.writeHead(content === undefined ? 404 : 200).end(content);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    mirror = typeof address === "object" ? `http://127.0.0.1:${address?.port}` : "";
  });
  after(() => server.close());
  beforeEach(async () => {
    work = await mkdtemp(path.join(tmpdir(), "debian-"));
    asked = [];
    served.clear();
  });
  afterEach(() => rm(work, { recursive: true }));

  const pin = (name: string, deb: Buffer): Pin => {
    served.set(`/pool/${name}.deb`, deb);
    return { name, version: "1-2", archive: "debian", path: `pool/${name}.deb`, sha256: sha256(deb) };
  };
  const entriesOf = (pins: readonly Pin[], more: Partial<DebianOptions> = {}) =>
    debianEntries({
      pins: { release: "trixie", packages: { amd64: pins, arm64: [] } },
      architecture: "amd64",
      downloads: work,
      mirrors: { debian: mirror },
      offline: false,
      env: {},
      report: () => undefined,
      ...more,
    });
  const pathsOf = (entries: readonly Entry[]) => entries.map(({ path: name }) => name);

  it("are libraries and licences, whom to trust, and what scanners read", async () => {
    const entries = await entriesOf([pin("libc6", makeDeb(library)), pin("ca-certificates", makeDeb(authorities))]);
    const paths = pathsOf(entries);
    for (const name of [
      "usr/lib/x86_64-linux-gnu/libc.so.6",
      "usr/share/doc/libc6/copyright",
      "var/lib/dpkg/status.d/libc6",
      "etc/passwd",
      "lib64",
    ])
      assert.ok(paths.includes(name), name);
    for (const name of ["usr/lib/x86_64-linux-gnu/gconv/BIG5.so", "usr/sbin/update-ca-certificates"])
      assert.ok(!paths.includes(name), name);
    assert.ok(!paths.some((name) => name.endsWith("changelog.gz")));
    const bundle = entries.find(({ path: name }) => name === "etc/ssl/certs/ca-certificates.crt");
    assert.equal(bundle?.kind === "file" && Buffer.from(bundle.content).toString(), "A\nB\n");
  });

  it("may be compressed by xz", async function () {
    if (spawnSync("xz", ["--version"]).error !== undefined) this.skip();
    const entries = await entriesOf([pin("libc6", makeDeb(library, "xz"))]);
    assert.ok(pathsOf(entries).includes("usr/lib/x86_64-linux-gnu/libc.so.6"));
  });

  it("is fetched once", async () => {
    const pins = [pin("libc6", makeDeb(library))];
    await entriesOf(pins);
    await entriesOf(pins, { offline: true });
    assert.deepEqual(asked, ["/pool/libc6.deb"]);
    // What has been changed in the cache is fetched again.
    for (const name of await readdir(work)) await writeFile(path.join(work, name), "changed");
    await entriesOf(pins);
    assert.equal(asked.length, 2);
  });

  it("must be what is pinned", async () => {
    const pins = [pin("libc6", makeDeb(library))];
    served.set("/pool/libc6.deb", makeDeb(authorities));
    await assert.rejects(entriesOf(pins), /libc6 1-2 is not what is pinned/);
    assert.deepEqual(await readdir(work), []);
  });

  it("is told of what is gone, what to do", async () => {
    const pins = [pin("libc6", makeDeb(library))];
    served.clear();
    await assert.rejects(entriesOf(pins), (error: Error) => {
      assert.ok(error instanceof ImageError);
      assert.match(error.message, /libc6 1-2 is not on http:\/\/127.* any more/);
      assert.match(error.message, /--update-pins/);
      assert.match(error.message, /--mirror URL/);
      return true;
    });
  });

  it("is not looked for elsewhere when the mirror cannot be reached, or nothing may be fetched", async () => {
    const pins = [pin("libc6", makeDeb(library))];
    // Nothing listens there.
    const nowhere = { debian: "http://127.0.0.1:1/debian" };
    await assert.rejects(entriesOf(pins, { mirrors: nowhere }), /127\.0\.0\.1:1 cannot be reached: .*another mirror/s);
    await assert.rejects(entriesOf(pins, { offline: true }), /not in the cache, and --offline/);
  });
});

describe("the pins of Debian's packages", () => {
  it("are read from what apt shows", () => {
    const shown = [
      "Package: libc6\nVersion: 1\nFilename: pool/main/g/glibc/libc6_1_amd64.deb\nSHA256: aa\nDescription: x\n more: y",
      "Package: ca-certificates\nVersion: 2~d\nFilename: pool/updates/main/c/c_2_all.deb\nSHA256: bb",
      "",
    ].join("\n\n");
    assert.deepEqual(parseShown(shown), [
      { name: "libc6", version: "1", archive: "debian", path: "pool/main/g/glibc/libc6_1_amd64.deb", sha256: "aa" },
      {
        name: "ca-certificates",
        version: "2~d",
        archive: "debian-security",
        path: "pool/updates/main/c/c_2_all.deb",
        sha256: "bb",
      },
    ]);
  });

  it("name a version and a hash of the same packages for each processor", async () => {
    const { packages } = await readPins();
    const names = packages.amd64.map(({ name }) => name);
    assert.deepEqual(
      packages.arm64.map(({ name }) => name),
      names,
    );
    for (const { version, path: file_, sha256: hash } of [...packages.amd64, ...packages.arm64]) {
      assert.match(hash, /^[0-9a-f]{64}$/);
      assert.ok(version !== "" && file_.startsWith("pool/"));
    }
  });
});
