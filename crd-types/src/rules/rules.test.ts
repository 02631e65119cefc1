import assert from "node:assert/strict";
import type { Schema } from "../schema/index.ts";
import { objectProblems, ruleProblems, uncheckedRules } from "./index.ts";

const ruled = (...rules: readonly string[]): Schema => ({
  type: "object",
  properties: { text: { type: "string", "x-kubernetes-validations": rules.map((rule) => ({ rule })) } },
});

const holds = (rule: string, text: string): boolean => {
  assert.deepEqual(uncheckedRules(ruled(rule)), []);
  return ruleProblems(ruled(rule), { text }).length === 0;
};

describe("ruleProblems()", () => {
  for (const [rule, yes, no] of [
    [
      "isIP(self)",
      ["10.0.0.1", "::", "2001:db8::1", "64:ff9b::10.0.0.1"],
      [
        "",
        "10.0.0",
        "10.0.0.256",
        "010.0.0.1",
        "::ffff:10.0.0.1",
        "fe80::1%eth0",
        "1:2:3",
        "1::2::3",
        "1:2:3:4:5:6:7:8:9",
      ],
    ],
    [
      "isCIDR(self)",
      ["10.0.0.0/8", "10.0.0.1/24", "::/0", "2001:db8::/32"],
      ["10.0.0.0", "10.0.0.0/33", "10.0.0.300/24", "::/129", "10.0.0.0/08", "10.0.0.0/"],
    ],
    [
      "cidr(self) == cidr(self).masked()",
      ["10.0.0.0/8", "2001:db8::/32", "0.0.0.0/0"],
      ["10.0.0.1/8", "2001:db8::1/32"],
    ],
    ["cidr('10.0.0.0/8').containsIP(self)", ["10.255.0.1"], ["11.0.0.1", "::1"]],
    ["cidr('10.0.0.0/8').containsCIDR(cidr(self))", ["10.1.0.0/16"], ["10.0.0.0/7"]],
    ["ip(self).family() == 6", ["::1"], ["10.0.0.1"]],
    [
      "cidr(self).prefixLength() >= 24 && cidr(self).ip() != ip('10.0.0.0')",
      ["10.0.1.0/24"],
      ["10.0.0.0/24", "10.0.1.0/23"],
    ],
  ] as const)
    it(`knows ${rule}`, () => {
      assert.deepEqual(
        yes.filter((text) => !holds(rule, text)),
        [],
      );
      assert.deepEqual(
        no.filter((text) => holds(rule, text)),
        [],
      );
    });

  it("lets pass what it cannot judge, and says so", () => {
    const schema = ruled("quantity(self).isGreaterThan(quantity('1'))", "self.?x.hasValue()", "size(self) > 1");
    assert.deepEqual(
      uncheckedRules(schema).map(({ path, reason }) => [path.join("."), reason.replace(/^<input>.*/, "syntax")]),
      [
        ["text", "the function isGreaterThan is not known"],
        ["text", "syntax"],
      ],
    );
    assert.deepEqual(ruleProblems(schema, { text: "ab" }), []);
    assert.equal(ruleProblems(schema, { text: "a" }).length, 1);
  });
});

describe("objectProblems()", () => {
  const schema: Schema = {
    type: "object",
    properties: {
      spec: {
        type: "object",
        required: ["size"],
        properties: { size: { type: "integer", default: 1, maximum: 3 } },
        "x-kubernetes-validations": [{ rule: "self.size != 2", message: "two is a crowd" }],
      },
    },
  };
  const messages = (object: unknown, unknownFields: "refuse" | "drop" = "refuse") =>
    objectProblems(schema, true, object, { unknownFields }).map(({ message }) => message);

  it("fills in defaults, then looks at metadata, schema and rules", () => {
    assert.deepEqual(messages({ metadata: { name: "a" }, spec: {} }), []);
    assert.deepEqual(messages({ metadata: { name: "a" }, spec: { size: 2 } }), ["spec: Invalid value: two is a crowd"]);
    assert.deepEqual(messages({ metadata: { name: "a" }, spec: { size: 4 } }), [
      "spec.size: Invalid value: 4: spec.size in body should be less than or equal to 3",
    ]);
    assert.deepEqual(messages({ spec: {} }), ["metadata: Required value"]);
    assert.match(
      messages({ metadata: { name: "A_b", namespace: "x.y" } }).join("\n"),
      /^metadata\.name: .*\nmetadata\.namespace: /,
    );
  });

  it("refuses unknown fields, or drops them", () => {
    const object = { metadata: { name: "a" }, spec: { sise: 1 } };
    assert.deepEqual(messages(object), ['unknown field "spec.sise"']);
    assert.deepEqual(messages(object, "drop"), []);
  });
});
