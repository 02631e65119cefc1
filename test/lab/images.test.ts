import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { addImage, fillIn, type Image, writeImages } from "./images.ts";

describe("fillIn()", () => {
  it("puts paths into JSON strings", () => {
    const filled = fillIn('{"a": "${echo-basic}", "b": "x${envoy}", "c": "$(POD)"}', {
      "echo-basic": "/bin/echo",
      envoy: 'C:\\"odd"',
    });
    assert.deepEqual(JSON.parse(filled), { a: "/bin/echo", b: 'xC:\\"odd"', c: "$(POD)" });
  });

  it("refuses what it has nothing for", () => {
    assert.throws(
      () => fillIn('"${envoi}"', { envoy: "/bin/envoy" }),
      /\$\{envoi\} in images\.json stands for nothing/,
    );
  });
});

describe("addImage()", () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "lab-images-"));
    file = path.join(folder, "images.json");
    await writeImages(file, { "echo-basic": "/bin/echo", envoy: "/bin/envoy" });
  });
  afterEach(() => rm(folder, { recursive: true }));
  const read = async () => JSON.parse(await readFile(file, "utf8")) as Image[];

  it("puts an image before all others, and in the place of an earlier one", async () => {
    const before = await read();
    assert.deepEqual(before.find(({ match }) => match === "envoyproxy/envoy")?.files, {
      "/usr/local/bin/envoy": "/bin/envoy",
    });
    await addImage(file, { match: "gatewright/operator", root: "/one" });
    await addImage(file, { match: "other", root: "/two" });
    await addImage(file, { match: "gatewright/operator", root: "/three", config: "/three.json" });
    assert.deepEqual(await read(), [
      { match: "gatewright/operator", root: "/three", config: "/three.json" },
      { match: "other", root: "/two" },
      ...before,
    ]);
  });
});
