import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { readDescriptors } from "./descriptors.ts";

describe("readDescriptors()", function () {
  this.timeout(120_000);
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "descriptors-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("gives every file after those that it imports, and the same bytes each time", async () => {
    const [one, other] = [path.join(folder, "one"), path.join(folder, "other")];
    const set = await readDescriptors(one, () => {});
    const seen = new Set<string>();
    for (const { name, dependency } of set.file) {
      for (const imported of dependency) assert.ok(seen.has(imported), `${name} comes before ${imported}`);
      seen.add(name);
    }
    assert.ok(seen.has("envoy/config/route/v3/route_components.proto"));
    await readDescriptors(other, () => {});
    assert.ok((await readFile(one)).equals(await readFile(other)));
  });
});
