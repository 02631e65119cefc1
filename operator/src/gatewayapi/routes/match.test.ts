import assert from "node:assert/strict";
import type { HTTPRouteMatch } from "@gatewright/crd-types/gateway/v1";
import type { RouteMatch } from "../../ir/index.ts";
import { hasRegex, rankOf, translateMatch } from "./match.ts";
import { createRuleReport } from "./report.ts";

function translate(stated: unknown) {
  const report = createRuleReport(0);
  // What comes from a file may hold values that the type does not know.
  const match: HTTPRouteMatch = JSON.parse(JSON.stringify(stated));
  const translated = translateMatch(match, "matches[0]", report);
  return { translated, problems: report.invalid };
}

const all: RouteMatch = { path: { kind: "prefix", value: "/" }, headers: [], queryParams: [] };

describe("translateMatch()", () => {
  const cases: readonly { readonly title: string; readonly match: HTTPRouteMatch; readonly want: RouteMatch }[] = [
    { title: "nothing as everything", match: {}, want: all },
    { title: "a path without type and value as everything", match: { path: {} }, want: all },
    {
      title: "an exact path to the letter",
      match: { path: { type: "Exact", value: "/a/" } },
      want: { ...all, path: { kind: "exact", value: "/a/" } },
    },
    {
      title: "a prefix without the slash at its end",
      match: { path: { type: "PathPrefix", value: "/a/" } },
      want: { ...all, path: { kind: "prefix", value: "/a" } },
    },
    {
      title: "a path of reserved and encoded characters",
      match: { path: { value: "/a.b/~c/%20;d=1,@:&$!'()*+" } },
      want: { ...all, path: { kind: "prefix", value: "/a.b/~c/%20;d=1,@:&$!'()*+" } },
    },
    {
      title: "a regular expression as it is",
      match: { path: { type: "RegularExpression", value: "/[a-z]+/" } },
      want: { ...all, path: { kind: "regex", value: "/[a-z]+/" } },
    },
    { title: "a method", match: { method: "PATCH" }, want: { ...all, method: "PATCH" } },
    {
      title: "headers, the first of equivalent names",
      match: {
        headers: [
          { name: "X-Color", value: "blue" },
          { name: "x-version", type: "RegularExpression", value: "v[0-9]" },
          { name: "x-color", value: "red" },
        ],
      },
      want: {
        ...all,
        headers: [
          { name: "x-color", kind: "exact", value: "blue" },
          { name: "x-version", kind: "regex", value: "v[0-9]" },
        ],
      },
    },
    {
      title: "query parameters, the first of equal names, upper and lower case apart",
      match: {
        queryParams: [
          { name: "q", value: "1" },
          { name: "Q", type: "RegularExpression", value: ".*" },
          { name: "q", value: "2" },
        ],
      },
      want: {
        ...all,
        queryParams: [
          { name: "q", kind: "exact", value: "1" },
          { name: "Q", kind: "regex", value: ".*" },
        ],
      },
    },
  ];
  for (const { title, match, want } of cases)
    it(`takes ${title}`, () => assert.deepEqual(translate(match), { translated: want, problems: [] }));

  const path = (value: string, type = "PathPrefix") => ({ path: { type, value } });
  const refused: readonly { readonly title: string; readonly match: unknown; readonly message: RegExp }[] = [
    {
      title: "a path without slash",
      match: path("a"),
      message: /matches\[0\]\.path\.value: "a" does not start with a slash/,
    },
    { title: "an empty path", match: path(""), message: /does not start with a slash/ },
    { title: "double slashes", match: path("/a//b"), message: /consecutive slashes/ },
    { title: "dots within", match: path("/a/../b"), message: /dots/ },
    { title: "a dot at the end", match: path("/a/.", "Exact"), message: /dots/ },
    { title: "an encoded slash", match: path("/a%2fb"), message: /encoded slash/ },
    { title: "a fragment", match: path("/a#b"), message: /characters/ },
    { title: "a query", match: path("/a?b"), message: /characters/ },
    { title: "a blank", match: path("/a b", "Exact"), message: /characters/ },
    { title: "a bad escape", match: path("/a%zz"), message: /characters/ },
    { title: "a long path", match: path(`/${"a".repeat(1024)}`), message: /longer than 1024/ },
    { title: "an unknown type of path", match: path("/a", "Glob"), message: /path\.type: "Glob" is not supported/ },
    {
      title: "a bad regular expression",
      match: path("(", "RegularExpression"),
      message: /path\.value: RE2 cannot read it/,
    },
    {
      title: "a regular expression that is too large",
      match: path("[acegikmoqsuw]{1,1000}", "RegularExpression"),
      message: /path\.value: the regular expression is too large/,
    },
    { title: "an unknown method", match: { method: "get" }, message: /method: "get" is not supported/ },
    {
      title: "a pseudo header",
      match: { headers: [{ name: ":path", value: "/" }] },
      message: /headers\[0\]\.name: ":path"/,
    },
    {
      title: "a header without value",
      match: { headers: [{ name: "x", value: "" }] },
      message: /headers\[0\]\.value: is empty/,
    },
    { title: "a line feed", match: { headers: [{ name: "x", value: "a\nb" }] }, message: /control characters/ },
    {
      title: "an unknown type of header",
      match: { headers: [{ name: "x", type: "Prefix", value: "a" }] },
      message: /headers\[0\]\.type: "Prefix" is not supported/,
    },
    {
      title: "a bad regular expression of a header",
      match: { headers: [{ name: "x", type: "RegularExpression", value: "*" }] },
      message: /headers\[0\]\.value: RE2 cannot read it/,
    },
    {
      title: "a bad regular expression of a query parameter",
      match: { queryParams: [{ name: "x", type: "RegularExpression", value: "*" }] },
      message: /queryParams\[0\]\.value: RE2 cannot read it/,
    },
    {
      title: "a parameter without name",
      match: { queryParams: [{ name: "", value: "a" }] },
      message: /queryParams\[0\]\.name/,
    },
  ];
  for (const { title, match, message } of refused)
    it(`refuses ${title}`, () => {
      const { translated, problems } = translate(match);
      assert.equal(translated, undefined);
      assert.deepEqual(
        problems.map(({ reason }) => reason),
        ["UnsupportedValue"],
      );
      assert.match(problems[0]?.message ?? "", message);
    });

  it("takes no match with one condition of several left out", () => {
    const { translated, problems } = translate({
      headers: [
        { name: "good", value: "1" },
        { name: "bad", value: "" },
      ],
    });
    assert.equal(translated, undefined);
    assert.equal(problems.length, 1);
  });
});

describe("rankOf()", () => {
  it("counts what precedence asks for", () => {
    const value = { kind: "exact", value: "1" } as const;
    assert.deepEqual(
      rankOf({
        path: { kind: "prefix", value: "/abc" },
        method: "GET",
        headers: [{ name: "a", ...value }],
        queryParams: [
          { name: "a", ...value },
          { name: "b", ...value },
        ],
      }),
      { path: "prefix", pathLength: 4, hasMethod: true, headerCount: 1, queryParamCount: 2 },
    );
    assert.deepEqual(rankOf({ ...all, path: { kind: "exact", value: "/abc" } }), {
      path: "exact",
      pathLength: 0,
      hasMethod: false,
      headerCount: 0,
      queryParamCount: 0,
    });
  });
});

describe("hasRegex()", () => {
  it("finds one wherever it is", () => {
    const regex = { name: "a", kind: "regex", value: "." } as const;
    assert.equal(hasRegex(all), false);
    assert.equal(hasRegex({ ...all, path: { kind: "regex", value: "." } }), true);
    assert.equal(hasRegex({ ...all, headers: [regex] }), true);
    assert.equal(hasRegex({ ...all, queryParams: [regex] }), true);
  });
});
