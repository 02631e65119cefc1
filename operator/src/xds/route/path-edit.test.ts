import assert from "node:assert/strict";
import { type PathEdit, pathEdit } from "./path-edit.ts";

/** What Envoy does with an edit. */
function apply(edit: PathEdit | undefined, matched: string, path: string): string {
  switch (edit?.kind) {
    case undefined:
      return path;
    case "replace":
      return edit.path;
    case "prefix":
      return edit.prefix + path.slice(matched.length);
    case "regex":
      return path.replaceAll(new RegExp(edit.pattern, "g"), edit.substitution);
  }
}

describe("pathEdit()", () => {
  for (const [path, prefix, replacement, expected] of [
    ["/foo/bar", "/foo", "/xyz", "/xyz/bar"],
    ["/foo", "/foo", "/xyz", "/xyz"],
    ["/foo/", "/foo", "/xyz", "/xyz/"],
    ["/foo/bar", "/foo", "/", "/bar"],
    ["/foo/", "/foo", "/", "/"],
    ["/foo", "/foo", "/", "/"],
    ["/foo//host/bar", "/foo", "/", "/host/bar"],
    ["/foo", "/", "/xyz", "/xyz/foo"],
    ["/", "/", "/xyz", "/xyz/"],
    ["/foo", "/", "/", "/foo"],
    ["/a.b/c/a.b/d", "/a.b", "/", "/c/a.b/d"],
  ] as const) {
    it(`turns ${path} into ${expected} where the prefix ${prefix} becomes ${replacement}`, () => {
      const edit = pathEdit({ kind: "prefix", value: prefix }, { kind: "prefix", value: replacement });
      assert.equal(apply(edit, prefix, path), expected);
    });
  }

  it("takes a prefix literally", () => {
    const edit = pathEdit({ kind: "prefix", value: "/a.b" }, { kind: "prefix", value: "/" });
    assert.ok(edit?.kind === "regex");
    assert.ok(!new RegExp(edit.pattern).test("/axb"));
  });

  it("replaces the whole path where it is told to, or where nothing is left of a match", () => {
    for (const kind of ["exact", "regex", "prefix"] as const) {
      assert.deepEqual(pathEdit({ kind, value: "/a" }, { kind: "fullPath", value: "/b" }), {
        kind: "replace",
        path: "/b",
      });
    }
    assert.deepEqual(pathEdit({ kind: "exact", value: "/a" }, { kind: "prefix", value: "/b" }), {
      kind: "replace",
      path: "/b",
    });
  });
});
