import assert from "node:assert/strict";
import { cutMessage, formatKind, listed, maxMessageLength } from "./messages.ts";

describe("cutMessage()", () => {
  it("leaves alone what is short enough", () => {
    const message = "x".repeat(maxMessageLength);
    assert.equal(cutMessage(message), message);
  });

  it("says where it cut", () => {
    const cut = cutMessage("x".repeat(maxMessageLength + 1));
    assert.equal(cut.length, maxMessageLength);
    assert.equal(cut.at(-1), "…");
  });

  it("does not cut a character in two", () => {
    for (const lead of ["", "x"]) {
      const cut = cutMessage(lead + "😀".repeat(maxMessageLength));
      assert.ok(cut.isWellFormed(), `after ${lead.length} characters`);
      assert.ok(cut.length <= maxMessageLength);
    }
  });
});

describe("listed()", () => {
  it("names all of a few", () => assert.equal(listed(["a", "b"]), "a, b"));

  it("counts what it does not name", () => assert.equal(listed(["a", "b", "c", "d"], "; ", 2), "a; b; and 2 more"));

  it("is empty for nothing", () => assert.equal(listed([]), ""));
});

describe("formatKind()", () => {
  it("names the group, but not the core group", () => {
    assert.equal(formatKind({ group: "", kind: "Secret" }), "Secret");
    assert.equal(formatKind({ group: "example.com", kind: "Widget" }), "example.com/Widget");
  });
});
