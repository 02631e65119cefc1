import assert from "node:assert/strict";
import { fromJson, type JsonObject, type JsonValue, toJson } from "@bufbuild/protobuf";
import { FieldRulesSchema } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { FieldRulesSchema as EnvoyRulesSchema } from "@gatewright/crd-types/proto/validate/validate_pb";
import { convertRules } from "./convert.ts";

function converted(envoy: JsonObject): { readonly rules: JsonValue; readonly required: boolean } {
  const { rules, required } = convertRules(fromJson(EnvoyRulesSchema, envoy));
  return { rules: toJson(FieldRulesSchema, rules), required };
}

describe("convertRules()", () => {
  const cases: readonly [string, JsonObject, JsonObject, boolean?][] = [
    [
      "keeps what both spell alike",
      { string: { minLen: "1", maxBytes: "9" } },
      { string: { minLen: "1", maxBytes: "9" } },
    ],
    ["keeps bounds of zero", { uint32: { gt: 0, lte: 5 } }, { uint32: { gt: 0, lte: 5 } }],
    ["keeps enum rules", { enum: { definedOnly: true, notIn: [6] } }, { enum: { definedOnly: true, notIn: [6] } }],
    [
      "turns ignore_empty into a condition",
      { string: { minLen: "3", ignoreEmpty: true } },
      { string: { minLen: "3" }, ignore: "IGNORE_IF_ZERO_VALUE" },
    ],
    ["lifts `required` out of durations", { duration: { required: true, gt: "0s" } }, { duration: { gt: "0s" } }, true],
    ["lifts `required` out of messages", { message: { required: true } }, {}, true],
    ["lifts `required` out of Any", { any: { required: true, in: ["a/b"] } }, { any: { in: ["a/b"] } }, true],
    ["skips messages", { message: { skip: true } }, { ignore: "IGNORE_ALWAYS" }],
    [
      "loosens header names that need not be strict",
      { string: { minLen: "1", wellKnownRegex: "HTTP_HEADER_NAME", strict: false } },
      { string: { minLen: "1", pattern: "^[^\\x00\\x0A\\x0D]*$" } },
    ],
    [
      "keeps strict header names",
      { string: { wellKnownRegex: "HTTP_HEADER_NAME" } },
      { string: { wellKnownRegex: "KNOWN_REGEX_HTTP_HEADER_NAME" } },
    ],
    [
      "keeps header values",
      { string: { wellKnownRegex: "HTTP_HEADER_VALUE", strict: false } },
      { string: { wellKnownRegex: "KNOWN_REGEX_HTTP_HEADER_VALUE", strict: false } },
    ],
    [
      "converts the rules of items",
      { repeated: { unique: true, items: { string: { minLen: "1", ignoreEmpty: true } } } },
      { repeated: { unique: true, items: { string: { minLen: "1" }, ignore: "IGNORE_IF_ZERO_VALUE" } } },
    ],
    [
      "converts the rules of keys and values",
      {
        map: {
          minPairs: "1",
          keys: { string: { wellKnownRegex: "HTTP_HEADER_NAME", strict: false } },
          values: { uint32: { lt: 3 } },
        },
      },
      { map: { minPairs: "1", keys: { string: { pattern: "^[^\\x00\\x0A\\x0D]*$" } }, values: { uint32: { lt: 3 } } } },
    ],
  ];
  for (const [title, envoy, rules, required = false] of cases) {
    it(title, () => assert.deepEqual(converted(envoy), { rules, required }));
  }

  it("throws for a rule that it does not know", () => {
    assert.throws(() => converted({ map: { noSparse: true } }));
  });
});
