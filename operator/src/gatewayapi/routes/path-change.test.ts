import assert from "node:assert/strict";
import type { HTTPPathModifier, HTTPRouteMatch } from "@gatewright/crd-types/gateway/v1";
import { translatePathChange } from "./path-change.ts";
import { createRuleReport } from "./report.ts";

const prefixMatch: readonly HTTPRouteMatch[] = [{ path: { type: "PathPrefix", value: "/foo" } }];

function translate(modifier: HTTPPathModifier, matches = prefixMatch) {
  const report = createRuleReport(0);
  const translated = translatePathChange(modifier, matches, "path", report);
  return { translated, problems: report.invalid.map(({ message }) => message) };
}

const prefix = (replacePrefixMatch: string): HTTPPathModifier => ({ type: "ReplacePrefixMatch", replacePrefixMatch });
const full = (replaceFullPath: string): HTTPPathModifier => ({ type: "ReplaceFullPath", replaceFullPath });

describe("translatePathChange()", () => {
  for (const [stated, value] of [
    ["/xyz", "/xyz"],
    ["/xyz/", "/xyz"],
    ["/xyz//", "/xyz"],
    ["/", "/"],
    ["", "/"],
  ] as const)
    it(`replaces a prefix by ${JSON.stringify(stated)}`, () =>
      assert.deepEqual(translate(prefix(stated)), { translated: { kind: "prefix", value }, problems: [] }));

  for (const [stated, value] of [
    ["/xyz/", "/xyz/"],
    ["", "/"],
  ] as const)
    it(`replaces all of a path by ${JSON.stringify(stated)}`, () =>
      assert.deepEqual(translate(full(stated), []), { translated: { kind: "fullPath", value }, problems: [] }));

  for (const [title, matches] of [
    ["the default match", [{}]],
    ["a path without type", [{ path: { value: "/foo" } }]],
  ] as const)
    it(`counts ${title} as a prefix`, () => assert.deepEqual(translate(prefix("/x"), matches).problems, []));

  const refused: readonly (readonly [string, HTTPPathModifier, readonly HTTPRouteMatch[], RegExp])[] = [
    ["a prefix of an exact path", prefix("/x"), [{ path: { type: "Exact", value: "/a" } }], /exactly one match/],
    [
      "a prefix of a regular expression",
      prefix("/x"),
      [{ path: { type: "RegularExpression", value: "/a" } }],
      /PathPrefix/,
    ],
    ["a prefix of two matches", prefix("/x"), [...prefixMatch, ...prefixMatch], /exactly one match/],
    ["a relative path", full("x"), prefixMatch, /"x" is not an absolute path/],
    ["a relative prefix", prefix("x"), prefixMatch, /"x" is not an absolute path/],
    ["a query", full("/x?y=1"), prefixMatch, /not an absolute path/],
    ["a fragment", full("/x#y"), prefixMatch, /not an absolute path/],
    ["a line feed", full("/x\ny"), prefixMatch, /not an absolute path/],
    ["a full path that is missing", { type: "ReplaceFullPath" }, prefixMatch, /takes replaceFullPath/],
    ["a prefix that is missing", { type: "ReplacePrefixMatch" }, prefixMatch, /takes replacePrefixMatch/],
    ["both", { ...full("/a"), replacePrefixMatch: "/b" }, prefixMatch, /takes replaceFullPath and nothing else/],
    ["both, the other way", { ...prefix("/a"), replaceFullPath: "/b" }, prefixMatch, /nothing else/],
    ["an unknown type", JSON.parse('{"type":"Regex"}'), prefixMatch, /type: "Regex" is not supported/],
  ];
  for (const [title, modifier, matches, message] of refused)
    it(`refuses ${title}`, () => {
      const { translated, problems } = translate(modifier, matches);
      assert.equal(translated, undefined);
      assert.equal(problems.length, 1);
      assert.match(problems[0] ?? "", message);
    });
});
