import assert from "node:assert/strict";
import { parse } from "yaml";
import { emitCrd } from "./emit-crds.ts";

const emit = (definition: unknown) => emitCrd({ folder: "gatewright", file: "a.yaml", definition });

describe("emitCrd()", () => {
  it("quotes what YAML 1.1 takes for something else than a string", () => {
    const enumeration = ["off", "On", "y", "no", "true", "null", "012", "0o7", "1e3", "2026-01-01", ""];
    assert.deepEqual(parse(emit({ enumeration }), { version: "1.1" }), { enumeration });
    assert.deepEqual(parse(emit({ enumeration }), { version: "1.2" }), { enumeration });
  });

  it("keeps long lines whole and repeats what is alike", () => {
    const rule = Array.from({ length: 60 }, () => "self.word").join(" && ");
    const shared = { rule };
    const text = emit({ first: shared, second: shared });
    assert.equal(text.split(rule).length, 3);
  });

  it("sorts keys, so that the order of the sources does not matter", () => {
    assert.equal(emit({ b: 1, a: { d: 1, c: 1 } }), emit({ a: { c: 1, d: 1 }, b: 1 }));
  });
});
