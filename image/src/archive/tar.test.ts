import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, readlink, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { complete, type Entry, file, folder, link } from "../entry.ts";
import { ImageError } from "../image-error.ts";
import { readTar, writeTar } from "./tar.ts";

const long = `${"folder-of-a-long-name/".repeat(9)}file`;
const entries: readonly Entry[] = [
  folder("a", 0o755),
  file("a/empty", ""),
  file("a/program", "x".repeat(513), 0o755),
  link("a/to-program", "program"),
  link("b", `/${long}`),
  file(long, "deep"),
  folder("tmp", 0o1777),
  file("ümläut", "of another alphabet"),
];
const plain = (all: readonly Entry[]) =>
  all.map((entry) => (entry.kind === "file" ? { ...entry, content: Buffer.from(entry.content).toString() } : entry));

describe("tar archives", () => {
  let work: string;
  beforeEach(async () => (work = await mkdtemp(path.join(tmpdir(), "tar-"))));
  afterEach(() => rm(work, { recursive: true }));
  const tar = (...args: readonly string[]) => {
    const { status, stderr } = spawnSync("tar", args, { cwd: work, encoding: "utf8" });
    assert.equal(status, 0, stderr);
  };

  it("are read as they were written", () => {
    assert.deepEqual(plain(readTar(writeTar(entries))), plain(entries));
  });

  it("are understood by others", async () => {
    await writeFile(path.join(work, "it.tar"), writeTar(complete(entries)));
    tar("-xpf", "it.tar");
    assert.equal(await readFile(path.join(work, long), "utf8"), "deep");
    assert.equal(await readlink(path.join(work, "b")), `/${long}`);
    assert.equal(await readFile(path.join(work, "ümläut"), "utf8"), "of another alphabet");
    const { mode, size, mtimeMs } = await stat(path.join(work, "a", "program"));
    assert.deepEqual([mode & 0o7777, size, mtimeMs], [0o755, 513, 0]);
    assert.equal((await stat(path.join(work, "tmp"))).mode & 0o7777, 0o1777);
  });

  it("of others are understood, with long names and second names of files", async () => {
    await writeFile(path.join(work, "it.tar"), writeTar(complete(entries)));
    tar("-xpf", "it.tar");
    spawnSync("ln", ["a/program", "z-second"], { cwd: work });
    for (const format of ["gnu", "pax"]) {
      tar(`--format=${format}`, "--sort=name", "-cf", "other.tar", "./a", "./tmp", `./${long}`, "./b", "./z-second");
      const read = readTar(await readFile(path.join(work, "other.tar")));
      const by = new Map(read.map((entry) => [entry.path, entry]));
      const contentOf = (name: string) => {
        const entry = by.get(name);
        return entry?.kind === "file" ? Buffer.from(entry.content).toString() : undefined;
      };
      assert.equal(contentOf(long), "deep", format);
      assert.equal(contentOf("z-second"), "x".repeat(513), format);
      assert.deepEqual(by.get("b"), link("b", `/${long}`), format);
    }
  });

  it("that lead out of themselves or end too early are refused", () => {
    assert.throws(() => readTar(writeTar([file("a/../../etc/passwd", "")])), ImageError);
    assert.throws(() => readTar(writeTar([file("a", "x".repeat(2000))]).subarray(0, 1024)), ImageError);
  });
});

describe("the entries of an image", () => {
  it("are sorted, each once, with the folders that they stand in", () => {
    const all = complete([file("b/c/d", "old"), file("a", ""), file("b/c/d", "new"), folder("b", 0o700)]);
    assert.deepEqual(
      plain(all).map((entry) => [entry.path, entry.mode, entry.kind === "file" ? entry.content : entry.kind]),
      [
        ["a", 0o644, ""],
        ["b", 0o700, "folder"],
        ["b/c", 0o755, "folder"],
        ["b/c/d", 0o644, "new"],
      ],
    );
  });
});
