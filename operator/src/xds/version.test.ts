import assert from "node:assert/strict";
import { contentVersion } from "./version.ts";

describe("contentVersion()", () => {
  it("is short, and the same for the same content only", () => {
    const version = contentVersion(Uint8Array.of(1, 2, 3));
    assert.match(version, /^[\w-]{11}$/);
    assert.equal(contentVersion(Uint8Array.of(1, 2, 3)), version);
    assert.notEqual(contentVersion(Uint8Array.of(1, 2, 4)), version);
  });
});
