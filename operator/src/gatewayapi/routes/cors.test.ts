import assert from "node:assert/strict";
import type { HTTPCORSFilter } from "@gatewright/crd-types/gateway/v1";
import { translateCors } from "./cors.ts";
import { createRuleReport } from "./report.ts";

function translate(stated: unknown) {
  const report = createRuleReport(0);
  // What comes from a file may hold values that the type does not know.
  const filter: HTTPCORSFilter = JSON.parse(JSON.stringify(stated));
  const translated = translateCors(filter, "cors", report);
  return { translated, problems: report.invalid.map(({ message }) => message) };
}

describe("translateCors()", () => {
  it("knows the defaults", () =>
    assert.deepEqual(translate({}), {
      translated: {
        allowOrigins: [],
        allowMethods: [],
        allowHeaders: [],
        exposeHeaders: [],
        allowCredentials: false,
        maxAgeSeconds: 5,
      },
      problems: [],
    }));

  it("takes everything at once", () => {
    const filter = {
      allowOrigins: ["https://www.foo.com", "https://*.bar.com", "http://localhost:8080", "https://*"],
      allowMethods: ["GET", "OPTIONS"],
      allowHeaders: ["x-header-1"],
      exposeHeaders: ["x-header-3", "*"],
      allowCredentials: true,
    };
    assert.deepEqual(translate({ ...filter, maxAge: 3600 }), {
      translated: { ...filter, maxAgeSeconds: 3600 },
      problems: [],
    });
  });

  for (const filter of [{ allowOrigins: ["*"] }, { allowMethods: ["*"] }, { allowHeaders: ["*"] }])
    it(`takes ${JSON.stringify(filter)}`, () => assert.deepEqual(translate(filter).problems, []));

  const refused: readonly (readonly [object, RegExp])[] = [
    [{ allowOrigins: ["*", "https://a.com"] }, /allowOrigins: \* cannot stand beside others/],
    [{ allowMethods: ["*", "GET"] }, /allowMethods: \* cannot/],
    [{ allowHeaders: ["*", "x"] }, /allowHeaders: \* cannot/],
    [{ allowOrigins: ["ftp://a.com"] }, /allowOrigins\[0\]: "ftp:\/\/a\.com"/],
    [{ allowOrigins: ["https://a.com/path"] }, /allowOrigins\[0\]/],
    [{ allowOrigins: ["https://a.*.com"] }, /allowOrigins\[0\]/],
    [{ allowMethods: ["get"] }, /allowMethods\[0\]: "get"/],
    [{ allowHeaders: ["x y"] }, /allowHeaders\[0\]/],
    [{ exposeHeaders: ["ok", "a\nb"] }, /exposeHeaders\[1\]/],
    [{ maxAge: 0 }, /maxAge: 0/],
    [{ maxAge: 1.5 }, /maxAge: 1\.5/],
  ];
  for (const [filter, message] of refused)
    it(`refuses ${JSON.stringify(filter)}`, () => {
      const { problems } = translate(filter);
      assert.equal(problems.length, 1);
      assert.match(problems[0] ?? "", message);
    });
});
