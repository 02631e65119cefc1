import assert from "node:assert/strict";
import { emitModule, namespaceOf } from "./emit-module.ts";
import type { Field, Ref, Type } from "./model.ts";

const emitTypes = (...types: readonly Type[]) =>
  emitModule({ name: "things/v1", package: "example.com/things/v1", types, constants: [] });

const fieldOf = (type: Ref, more: Partial<Field> = {}): Field => ({
  name: "it",
  doc: "",
  type,
  optional: false,
  ...more,
});

const emitField = (type: Ref, more: Partial<Field> = {}) => {
  const text = emitTypes({ name: "Thing", doc: "", struct: { extends: [], fields: [fieldOf(type, more)] } });
  return /export interface Thing \{\n([^]*)\}/.exec(text)?.[1]?.trim();
};

describe("emitModule()", () => {
  it("writes a kind with its identity", () => {
    const text = emitTypes({
      name: "Thing",
      doc: "Thing is a thing.",
      struct: { apiVersion: "things.example.com/v1", kind: "Thing", extends: [], fields: [] },
    });
    assert.ok(
      text.endsWith(
        '/** Thing is a thing. */\nexport interface Thing {\n  readonly apiVersion: "things.example.com/v1";\n  readonly kind: "Thing";\n}\n',
      ),
      text,
    );
  });

  it("makes everything readonly and marks what may be missing", () => {
    assert.equal(emitField({ kind: "string" }), "readonly it: string;");
    assert.equal(emitField({ kind: "string" }, { optional: true }), "readonly it?: string;");
    assert.equal(emitField({ kind: "array", elem: { kind: "number" } }), "readonly it: readonly number[];");
    assert.equal(
      emitField({ kind: "array", elem: { kind: "array", elem: { kind: "boolean" } } }),
      "readonly it: readonly (readonly boolean[])[];",
    );
    assert.equal(
      emitField({ kind: "map", elem: { kind: "bytes" } }),
      "readonly it: { readonly [key: string]: string };",
    );
  });

  it("gives types with a JSON form of their own that form", () => {
    assert.equal(emitField({ kind: "intOrString" }), "readonly it: number | string;");
    assert.equal(emitField({ kind: "unknown" }), "readonly it: unknown;");
    assert.equal(emitField({ kind: "object" }), "readonly it: { readonly [key: string]: unknown };");
    assert.equal(
      emitField({ kind: "array", elem: { kind: "literals", values: ["a", 1] } }),
      'readonly it: readonly ("a" | 1)[];',
    );
  });

  it("names types of its own module plainly and imports those of others", () => {
    const text = emitTypes({
      name: "Thing",
      doc: "",
      struct: {
        extends: [{ kind: "named", module: "things/v1", name: "Base" }],
        fields: [fieldOf({ kind: "named", module: "meta/v1", name: "Time" })],
      },
    });
    assert.match(text, /^import type \* as metaV1 from "\.\.\/meta\/v1\.ts";$/m);
    assert.match(text, /^export interface Thing extends Base \{$/m);
    assert.match(text, /^ {2}readonly it: metaV1\.Time;$/m);
  });

  it("leaves an open type open, and an open enum", () => {
    const text = emitTypes(
      { name: "Any", doc: "", struct: { open: true, extends: [], fields: [] } },
      { name: "Closed", doc: "", enum: { base: "string", values: ["a", "b"], open: false } },
      { name: "Open", doc: "", enum: { base: "string", values: ["a", "b"], open: true } },
      { name: "Code", doc: "", enum: { base: "number", values: [1, 2], open: true } },
    );
    assert.match(text, /^export interface Any \{\n {2}readonly \[key: string\]: unknown;\n\}$/m);
    assert.match(text, /^export type Closed = "a" \| "b";$/m);
    assert.match(text, /^export type Open = "a" \| "b" \| \(string & \{\}\);$/m);
    assert.match(text, /^export type Code = number;$/m);
  });

  it("says in comments what defaults, keys and channels there are", () => {
    const text = emitField(
      { kind: "string" },
      { doc: "It.", default: "x", listMapKeys: ["a", "b"], experimental: true },
    );
    assert.equal(
      text,
      '/**\n   * It.\n   * @listMapKeys a, b\n   * @defaultValue `"x"`\n   * @experimental\n   */\n  readonly it: string;',
    );
  });

  it("writes constants as literals", () => {
    const text = emitModule({
      name: "things/v1",
      package: "",
      types: [],
      constants: [
        { name: "ThingReady", doc: "ThingReady is good.", value: "Ready" },
        { name: "ThingMax", doc: "", value: 16 },
      ],
    });
    assert.match(
      text,
      /\/\*\* ThingReady is good\. \*\/\nexport const ThingReady = "Ready";\n\nexport const ThingMax = 16;\n$/,
    );
  });
});

describe("namespaceOf()", () => {
  it("makes an identifier of the name of a module", () => {
    assert.equal(namespaceOf("gateway/v1beta1"), "gatewayV1beta1");
    assert.equal(namespaceOf("gateway-x/v1alpha1"), "gatewayXV1alpha1");
  });
});
