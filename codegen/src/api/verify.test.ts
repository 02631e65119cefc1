import assert from "node:assert/strict";
import type { Kind } from "./model.ts";
import { verifyApi } from "./verify.ts";

const thing = (group: string): Kind => ({
  kind: "Thing",
  group,
  version: "v1",
  module: "things/v1",
  plural: "things",
  singular: "thing",
  listKind: "ThingList",
  shortNames: [],
  categories: [],
  namespaced: true,
  hasStatus: true,
  source: "gatewright",
  versions: [{ name: "v1", module: "things/v1", served: true, storage: true, deprecated: false }],
});

const good = `export interface Meta {
  readonly name?: string;
}
export interface Thing {
  readonly apiVersion: "things.example.com/v1";
  readonly kind: "Thing";
  readonly metadata: Meta;
}
`;

const verify = (text: string, more: Record<string, string> = {}) =>
  verifyApi(new Map(Object.entries({ "things/v1.ts": text, ...more })), [thing("things.example.com")]);

describe("verifyApi()", () => {
  it("has nothing to say of what is right", () => {
    assert.deepEqual(verify(good), []);
  });

  it("finds what does not parse", () => {
    assert.match(verify(`${good}\nexport type Broken = ;`)[0] ?? "", /^\[things\/v1\.ts:10\]: Type expected/);
  });

  for (const [name, addition, problem] of [
    ["any", "export type A = readonly any[];", "any says nothing"],
    ["what can be written", "export interface A { a: string }", "a is not readonly"],
    ["an array that can be written", "export interface A { readonly a: string[] }", "an array is not readonly"],
    [
      "an index that can be written",
      "export interface A { [k: string]: string }",
      "an index signature is not readonly",
    ],
    ["two of one name", "export type Meta = string;", "Meta is declared twice"],
    ["a type that is not there", "export type A = Missing;", "Missing is not declared"],
  ] as const) {
    it(`finds ${name}`, () => {
      assert.deepEqual(verify(`${good}${addition}`), [`[things/v1.ts:9]: ${problem}`]);
    });
  }

  it("finds an import that leads nowhere", () => {
    const text = `import type * as otherV1 from "../other/v1.ts";\n${good}export type A = otherV1.A;\n`;
    assert.deepEqual(verify(text), [
      "[things/v1.ts:1]: other/v1.ts is imported but was not written",
      "[things/v1.ts:10]: otherV1.A is not exported",
    ]);
    assert.deepEqual(verify(text, { "other/v1.ts": "export type B = string;\n" }), [
      "[things/v1.ts:10]: otherV1.A is not exported",
    ]);
    assert.deepEqual(verify(text, { "other/v1.ts": "export type A = string;\n" }), []);
  });

  it("knows what of the schemas' interpreter may be imported", () => {
    const text = (name: string) => `import type { ${name} } from "../../schema/index.ts";\n${good}`;
    assert.deepEqual(verify(text("Schema")), []);
    assert.deepEqual(verify(text("Other")), ["[things/v1.ts:1]: schema/index.ts has no Other"]);
  });

  it("finds a kind without its interface, or with that of another", () => {
    assert.deepEqual(verify("export type Thing = string;\n"), ["[things/v1.ts]: the kind Thing has no interface"]);
    assert.deepEqual(verify(good.replace('things.example.com/v1"', 'things.example.com/v2"')), [
      '[things/v1.ts:4]: apiVersion is "things.example.com/v2", not "things.example.com/v1"',
    ]);
    assert.deepEqual(verify(good.replace("metadata: Meta", "metadata?: Meta")), [
      "[things/v1.ts:4]: metadata may be missing",
    ]);
  });

  it("finds two kinds of one name", () => {
    const problems = verifyApi(new Map([["things/v1.ts", good]]), [
      thing("things.example.com"),
      thing("things.example.com"),
    ]);
    assert.equal(problems.length, 1);
    assert.match(problems[0] ?? "", /Thing is a kind of the groups things\.example\.com and things\.example\.com/);
  });
});
