import assert from "node:assert/strict";
import { applyDefaults, prune, type Schema, unknownFields, validate } from "./index.ts";

const messages = (schema: Schema, value: unknown) => validate(schema, value).map(({ message }) => message);

const object = (properties: Readonly<Record<string, Schema>>, more: Schema = {}): Schema => ({
  type: "object",
  properties,
  ...more,
});

const route = object({
  spec: object({
    hostnames: {
      type: "array",
      maxItems: 2,
      items: { type: "string", minLength: 1, maxLength: 12, pattern: "^[a-z.]+$" },
    },
    rules: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: object(
        {
          name: { type: "string" },
          path: object(
            { type: { type: "string", enum: ["Exact", "PathPrefix"], default: "PathPrefix" } },
            { default: {} },
          ),
          port: { type: "integer", format: "int32", minimum: 1, maximum: 65_535 },
        },
        { required: ["name"] },
      ),
    },
  }),
});

describe("validate()", () => {
  it("says what is wrong, and where, in the words of the API server", () => {
    const problems = validate(route, {
      spec: { hostnames: ["a", "A"], rules: [{ name: "a", path: { type: "Prefix" }, port: 0 }, { port: "80" }] },
    });
    assert.deepEqual(
      problems.map(({ message }) => message),
      [
        `spec.hostnames[1]: Invalid value: "A": spec.hostnames[1] in body should match '^[a-z.]+$'`,
        `spec.rules[0].path.type: Unsupported value: "Prefix": supported values: "Exact", "PathPrefix"`,
        "spec.rules[0].port: Invalid value: 0: spec.rules[0].port in body should be greater than or equal to 1",
        `spec.rules[1].port: Invalid value: "string": spec.rules[1].port in body must be of type integer: "string"`,
        "spec.rules[1].name: Required value",
      ],
    );
    assert.deepEqual(problems[1]?.path, ["spec", "rules", 0, "path", "type"]);
    assert.deepEqual(
      problems.map(({ kind }) => kind),
      ["invalid", "unsupported", "invalid", "type", "required"],
    );
  });

  it("finds keys of a map list and elements of a set that come twice", () => {
    assert.deepEqual(
      messages(route, { spec: { rules: [{ name: "a" }, { name: "b" }, { name: "a" }, { name: "a" }] } }),
      ['spec.rules[2]: Duplicate value: {"name":"a"}'],
    );
    const set: Schema = { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } };
    assert.deepEqual(messages(object({ set }), { set: ["x", "y", "x"] }), ['set[2]: Duplicate value: "x"']);
  });

  it("counts characters as a person does", () => {
    const schema = object({ text: { type: "string", maxLength: 2, minLength: 2 } });
    assert.deepEqual(messages(schema, { text: "😀😀" }), []);
    assert.deepEqual(messages(schema, { text: "😀😀😀" }), ["text: Too long: may not be more than 2 bytes"]);
    assert.deepEqual(messages(schema, { text: "😀" }), [
      'text: Invalid value: "😀": text in body should be at least 2 chars long',
    ]);
  });

  it("takes whole numbers and texts where either may stand", () => {
    const schema = object({ port: { "x-kubernetes-int-or-string": true } });
    assert.deepEqual(messages(schema, { port: 80 }), []);
    assert.deepEqual(messages(schema, { port: "http" }), []);
    assert.deepEqual(messages(schema, { port: true }), [
      'port: Invalid value: "boolean": port in body must be of type integer,string: "boolean"',
    ]);
  });

  it("knows what 32 and 64 bits hold", () => {
    const schema = object({ small: { type: "integer", format: "int32" }, large: { type: "integer", format: "int64" } });
    assert.deepEqual(messages(schema, { small: -(2 ** 31), large: 2 ** 62 }), []);
    assert.deepEqual(messages(schema, { small: 2 ** 31 }), [
      'small: Invalid value: "": Checked value must be of type integer with format int32 in small',
    ]);
    assert.equal(validate(schema, { large: 2 ** 63 }).length, 2);
  });

  it("wants whole objects inside of objects to say what they are", () => {
    const schema = object({ inner: { type: "object", "x-kubernetes-embedded-resource": true } });
    assert.deepEqual(messages(schema, { inner: { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } } }), []);
    assert.deepEqual(messages(schema, { inner: { kind: 1, metadata: { name: "a/b" } } }), [
      "inner.apiVersion: Required value",
      "inner.kind: Invalid value: 1: must be a string",
      'inner.metadata: Invalid value: {"name":"a/b"}: name may not be part of a path',
    ]);
  });

  it("is not led astray by names that every JavaScript object knows", () => {
    const schema = object({ a: { type: "string" } }, { required: ["constructor"] });
    assert.deepEqual(messages(schema, {}), ["constructor: Required value"]);
    const hostile: unknown = JSON.parse('{"__proto__": {"a": 1}, "constructor": {}}');
    assert.deepEqual(messages(schema, hostile), []);
    assert.deepEqual(Object.keys(applyDefaults(schema, prune(schema, hostile)) as object), []);
  });

  it("bounds what it says of a hostile object", () => {
    const list: Schema = { type: "array", items: { type: "integer" } };
    const problems = validate(object({ list }), { list: Array.from({ length: 100_000 }, () => "x") });
    assert.equal(problems.length, 100);
    const text = messages(object({ text: { type: "string", enum: ["a"] } }), { text: "x".repeat(1_000_000) });
    assert.ok((text[0]?.length ?? 0) < 1_000, text[0]);
  });
});

describe("applyDefaults()", () => {
  it("fills in what is missing, also inside of what it has filled in", () => {
    assert.deepEqual(
      applyDefaults(route, { spec: { rules: [{ name: "a" }, { name: "b", path: { type: "Exact" } }] } }),
      {
        spec: {
          rules: [
            { name: "a", path: { type: "PathPrefix" } },
            { name: "b", path: { type: "Exact" } },
          ],
        },
      },
    );
  });

  it("gives back the input itself where nothing is missing, and never changes it", () => {
    const complete = { spec: { rules: [{ name: "b", path: { type: "Exact" } }], hostnames: ["a"] } };
    assert.equal(applyDefaults(route, complete), complete);
    const input = Object.freeze({
      spec: Object.freeze({ hostnames: ["a"], rules: Object.freeze([Object.freeze({})]) }),
    });
    const output = applyDefaults(route, input) as typeof input;
    assert.notEqual(output, input);
    assert.equal(output.spec.hostnames, input.spec.hostnames);
  });

  it("lets nulls give way to the default, vanish, or stay where they are allowed", () => {
    const schema = object({
      filled: { type: "integer", default: 1 },
      gone: { type: "integer" },
      kept: { type: "integer", default: 1, nullable: true },
    });
    assert.deepEqual(applyDefaults(schema, { filled: null, gone: null, kept: null, unknown: null }), {
      filled: 1,
      kept: null,
      unknown: null,
    });
  });

  it("shares defaults that nobody can change", () => {
    const schema = object({ list: { type: "array", items: { type: "integer" }, default: [1] } });
    const { list } = applyDefaults(schema, {}) as { readonly list: number[] };
    assert.throws(() => list.push(2), TypeError);
  });
});

describe("unknownFields() and prune()", () => {
  const schema = object({
    spec: object({
      known: { type: "string" },
      kept: { type: "object", "x-kubernetes-preserve-unknown-fields": true, properties: { inner: object({}) } },
      map: { type: "object", additionalProperties: object({ a: { type: "string" } }) },
    }),
  });
  const value = {
    apiVersion: "v1",
    kind: "X",
    metadata: { name: "x" },
    spec: {
      known: "k",
      knwon: "x",
      kept: { anything: { goes: 1 }, inner: { not: "here" } },
      map: { key: { a: "", b: 1 } },
    },
  };

  it("tell and take out what the schema does not know, down to where unknown content is kept", () => {
    assert.deepEqual(
      unknownFields(schema, value).map(({ message, path }) => [message, path]),
      [
        ['unknown field "spec.knwon"', ["spec", "knwon"]],
        ['unknown field "spec.kept.inner.not"', ["spec", "kept", "inner", "not"]],
        ['unknown field "spec.map.key.b"', ["spec", "map", "key", "b"]],
      ],
    );
    assert.deepEqual(prune(schema, value), {
      ...value,
      spec: { known: "k", kept: { anything: { goes: 1 }, inner: {} }, map: { key: { a: "" } } },
    });
    assert.equal(value.spec.knwon, "x");
  });

  it("give back the input itself where all is known", () => {
    const known = { metadata: { any: "thing" }, spec: { known: "k" } };
    assert.equal(prune(schema, known), known);
  });
});
