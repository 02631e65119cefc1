import assert from "node:assert/strict";
import { join } from "node:path";
import { readDescriptors } from "./descriptors.ts";

describe("readDescriptors()", function () {
  this.timeout(120_000);
  const root = join(import.meta.dirname, "../../..");

  it("gives every file after those that it imports, and the same bytes each time", () => {
    const { bytes, set } = readDescriptors(root);
    const seen = new Set<string>();
    for (const { name, dependency } of set.file) {
      for (const imported of dependency) assert.ok(seen.has(imported), `${name} comes before ${imported}`);
      seen.add(name);
    }
    assert.ok(seen.has("envoy/config/route/v3/route_components.proto"));
    assert.ok(Buffer.from(bytes).equals(readDescriptors(root).bytes));
  });
});
