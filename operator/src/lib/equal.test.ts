import assert from "node:assert/strict";
import { deepEqual } from "./equal.ts";
import { Sensitive } from "./sensitive.ts";

const same: readonly (readonly [string, unknown, unknown])[] = [
  ["numbers", 1, 1],
  ["NaN", Number.NaN, Number.NaN],
  ["nothing", undefined, undefined],
  ["nested objects, whatever the order of keys", { a: { b: [1, "x"] }, c: true }, { c: true, a: { b: [1, "x"] } }],
  ["a key with undefined and an absent one", { a: 1, b: undefined }, { a: 1 }],
  ["objects without a prototype", Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
  ["bytes", new Uint8Array([1, 2]), new Uint8Array([1, 2])],
  ["bytes and a buffer", new Uint8Array([1, 2]), Buffer.from([1, 2])],
  ["sensitive values", { key: new Sensitive("k") }, { key: new Sensitive("k") }],
  ["maps", new Map([["a", { b: 1 }]]), new Map([["a", { b: 1 }]])],
  ["sets", new Set(["a", "b"]), new Set(["b", "a"])],
];

const different: readonly (readonly [string, unknown, unknown])[] = [
  ["numbers", 1, 2],
  ["a number and its text", 1, "1"],
  ["zero and minus zero", 0, -0],
  ["an object and nothing", {}, undefined],
  ["an object and null", {}, null],
  ["a key more on the left", { a: 1, b: 2 }, { a: 1 }],
  ["a key more on the right", { a: 1 }, { a: 1, b: 2 }],
  ["a nested value", { a: [{ b: 1 }] }, { a: [{ b: 2 }] }],
  ["an array and an object with the same keys", ["a"], { 0: "a" }],
  ["an array that is longer", [1], [1, undefined]],
  ["the order of an array", [1, 2], [2, 1]],
  ["bytes", new Uint8Array([1, 2]), new Uint8Array([1, 3])],
  ["bytes and an array", new Uint8Array([1]), [1]],
  ["sensitive values", new Sensitive("a"), new Sensitive("b")],
  ["a sensitive value and its text", new Sensitive("a"), "a"],
  ["maps", new Map([["a", 1]]), new Map([["a", 2]])],
  ["maps whose keys differ", new Map([["a", undefined]]), new Map([["b", undefined]])],
  ["a map and an object", new Map(), {}],
  ["sets", new Set(["a"]), new Set(["b"])],
  ["dates, which have a class of their own", new Date(0), new Date(0)],
];

describe("deepEqual()", () => {
  for (const [name, left, right] of same)
    it(`holds equal: ${name}`, () => {
      assert.equal(deepEqual(left, right), true);
      assert.equal(deepEqual(right, left), true);
    });
  for (const [name, left, right] of different)
    it(`tells apart: ${name}`, () => {
      assert.equal(deepEqual(left, right), false);
      assert.equal(deepEqual(right, left), false);
    });
});
