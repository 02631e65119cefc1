import assert from "node:assert/strict";
import type { HTTPHeaderFilter } from "@gatewright/crd-types/gateway/v1";
import { type TranslatedChange, translateHeaderChange } from "./header-change.ts";
import { createRuleReport } from "./report.ts";

function translate(filter: HTTPHeaderFilter, direction: "request" | "response" = "request") {
  const report = createRuleReport(0);
  const translated = translateHeaderChange(filter, "f", report, direction);
  return { translated, problems: report.invalid.map(({ message }) => message) };
}

describe("translateHeaderChange()", () => {
  const cases: readonly {
    readonly title: string;
    readonly filter: HTTPHeaderFilter;
    readonly want: TranslatedChange;
  }[] = [
    { title: "nothing", filter: {}, want: {} },
    {
      title: "all three lists, names in lower case, values to the letter",
      filter: {
        set: [{ name: "X-Set", value: "100% of it" }],
        add: [{ name: "X-Add", value: "a,b" }],
        remove: ["X-Remove"],
      },
      want: {
        change: {
          set: [{ name: "x-set", value: "100% of it" }],
          add: [{ name: "x-add", value: "a,b" }],
          remove: ["x-remove"],
        },
      },
    },
    {
      title: "the first of equivalent names",
      filter: {
        set: [
          { name: "X-A", value: "1" },
          { name: "x-a", value: "2" },
        ],
        remove: ["x-b", "X-B"],
      },
      want: { change: { set: [{ name: "x-a", value: "1" }], add: [], remove: ["x-b"] } },
    },
    {
      title: "Host as a host",
      filter: { set: [{ name: "Host", value: "inner.example.com:8080" }] },
      want: { host: "inner.example.com:8080" },
    },
    {
      title: "Host beside others",
      filter: {
        set: [
          { name: "host", value: "inner" },
          { name: "x", value: "1" },
        ],
      },
      want: { host: "inner", change: { set: [{ name: "x", value: "1" }], add: [], remove: [] } },
    },
  ];
  for (const { title, filter, want } of cases)
    it(`takes ${title}`, () => assert.deepEqual(translate(filter), { translated: want, problems: [] }));

  const set = (name: string, value = "v"): HTTPHeaderFilter => ({ set: [{ name, value }] });
  const refused: readonly {
    readonly title: string;
    readonly filter: HTTPHeaderFilter;
    readonly direction?: "response";
    readonly message: RegExp;
  }[] = [
    { title: "a pseudo header", filter: set(":path"), message: /set\[0\]\.name: ":path" is not the name of a header/ },
    { title: "a blank in a name", filter: set("x y"), message: /"x y" is not the name/ },
    { title: "an empty name", filter: { remove: [""] }, message: /remove\[0\]: "" is not the name/ },
    ...["connection", "Keep-Alive", "Transfer-Encoding", "upgrade", "TE", "content-length"].map((name) => ({
      title: name,
      filter: { remove: [name] },
      message: /belongs to the connection/,
    })),
    { title: "a line feed", filter: set("x", "a\r\nb: c"), message: /set\[0\]\.value: has control characters/ },
    { title: "a value of NUL", filter: set("x", "\0"), message: /control characters/ },
    { title: "an empty value", filter: { add: [{ name: "x", value: "" }] }, message: /add\[0\]\.value: is empty/ },
    { title: "Host in responses", filter: set("host"), direction: "response", message: /host cannot be changed here/ },
    { title: "a second Host", filter: { add: [{ name: "Host", value: "a" }] }, message: /host cannot be changed here/ },
    { title: "no Host", filter: { remove: ["Host"] }, message: /host cannot be changed here/ },
    { title: "a Host that is none", filter: set("Host", "a b"), message: /"a b" is not a host/ },
    {
      title: "two actions for one name",
      filter: { set: [{ name: "x", value: "1" }], remove: ["X"] },
      message: /remove\[0\]: x is in set already/,
    },
  ];
  for (const { title, filter, direction, message } of refused)
    it(`refuses ${title}`, () => {
      const { problems } = translate(filter, direction);
      assert.equal(problems.length, 1);
      assert.match(problems[0] ?? "", message);
    });
});
