import assert from "node:assert/strict";
import { anyUnpack } from "@bufbuild/protobuf/wkt";
import { CorsPolicySchema } from "@gatewright/crd-types/proto/envoy/extensions/filters/http/cors/v3/cors_pb";
import type { CorsPolicy } from "../../ir/index.ts";
import { corsConfig } from "./cors.ts";

const policy = (more: Partial<CorsPolicy>): CorsPolicy => ({
  allowOrigins: [],
  allowMethods: [],
  allowHeaders: [],
  exposeHeaders: [],
  allowCredentials: false,
  maxAgeSeconds: 5,
  ...more,
});

const unpacked = (more: Partial<CorsPolicy>) => {
  const message = anyUnpack(corsConfig(policy(more)), CorsPolicySchema);
  assert.ok(message !== undefined);
  return message;
};

/** What Envoy does with the matchers of origins; JavaScript has no `(?i)`. */
function allows(allowed: string, origin: string): boolean {
  return unpacked({ allowOrigins: [allowed] }).allowOriginStringMatch.some(
    ({ matchPattern: { case: kind, value } }) => {
      if (kind === "exact") return value.toLowerCase() === origin.toLowerCase();
      assert.ok(kind === "safeRegex");
      return new RegExp(`^(?:${value.regex.replace("(?i)", "")})$`, "i").test(origin);
    },
  );
}

describe("corsConfig()", () => {
  for (const [allowed, origin, expected] of [
    ["*", "https://anything.example.com:8443", true],
    ["https://a.example.com", "https://a.example.com", true],
    ["https://a.example.com", "https://A.example.com", true],
    ["https://a.example.com", "https://b.a.example.com", false],
    ["https://a.example.com:443", "https://a.example.com", true],
    ["http://a.example.com:80", "http://a.example.com", true],
    ["http://a.example.com:443", "http://a.example.com", false],
    ["https://*.example.com", "https://a.b.example.com", true],
    ["https://*.example.com", "https://example.com", false],
    ["https://*.example.com", "https://a.example.com:8443", false],
    ["https://*.example.com", "http://a.example.com", false],
    ["https://*.example.com", "https://evil.test/.example.com", false],
    ["https://*.example.com", "https://axexample.com", false],
    ["https://*.example.com:8443", "https://a.example.com:8443", true],
    ["https://*", "https://a.example.com", true],
  ] as const) {
    it(`${expected ? "allows" : "does not allow"} ${origin} where ${allowed} is allowed`, () => {
      assert.equal(allows(allowed, origin), expected);
    });
  }

  it("exposes no header called * to requests with credentials", () => {
    assert.equal(unpacked({ exposeHeaders: ["*", "x-a"], allowCredentials: true }).exposeHeaders, "x-a");
    assert.equal(unpacked({ exposeHeaders: ["*"] }).exposeHeaders, "*");
  });

  it("says nothing of credentials that are not allowed", () => {
    assert.equal(unpacked({}).allowCredentials, undefined);
    assert.equal(unpacked({ allowCredentials: true }).allowCredentials, true);
  });
});
