import assert from "node:assert/strict";
import { findOverlaps } from "./overlaps.ts";

const overlapsOf = (...listeners: readonly (readonly [name: string, hostname: string, port?: number])[]) =>
  Object.fromEntries(
    findOverlaps(listeners.map(([name, hostname, port = 443]) => ({ name, hostname, port, protocol: "HTTPS" }))),
  );

describe("findOverlaps()", () => {
  it("finds the example of the API's documentation", () => {
    assert.deepEqual(overlapsOf(["A", "foo.example.com"], ["B", "foo.example.org"], ["C", "*.example.com"]), {
      A: ["C"],
      C: ["A"],
    });
  });

  it("takes no hostname for all of them", () => {
    assert.deepEqual(overlapsOf(["any", "*"], ["one", "a.io"]), { any: ["one"], one: ["any"] });
  });

  it("looks at one port at a time", () => assert.deepEqual(overlapsOf(["a", "*"], ["b", "*", 8443]), {}));
});
