import assert from "node:assert/strict";
import { check } from "./check.ts";

const judge = (bytes: Uint8Array) =>
  check([{ name: "a.yaml", bytes }], {
    channel: "experimental",
    isComplete: false,
    controllerName: "gatewright.dev/gateway-controller",
    gatewayClass: "gatewright",
    rootNamespace: "gatewright-system",
    nowMs: 0,
  }).findings;

const map = (rest: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n${rest}`;
const many = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join("");

const exploding =
  "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" +
  many(12, (index) => `a${index + 1}: &a${index + 1} [${Array(9).fill(`*a${index}`).join(", ")}]\n`);

const cases: Readonly<Record<string, readonly [string | Uint8Array, string, RegExp]>> = {
  "aliases that explode": [exploding, "1:1 yaml", /aliases stand for more than/],
  "an alias of itself": [map("data: &a\n  b: *a\n"), "1:1 yaml", /aliases stand for more than/],
  "brackets without end": [`a: ${"[".repeat(100_000)}`, "1:103 yaml", /nested more than 100 levels/],
  "a document of 50 MB": [
    map(`data:\n  a: |\n${"    xxxxxxxxxxxxxxxxxxxxxxxxxxxx\n".repeat(1_500_000)}`),
    "1:1 yaml",
    /larger than 4 MiB/,
  ],
  "a file of 70 MB": [Buffer.alloc(70 * 1024 * 1024, "a"), "1:1 file", /larger than 64 MiB/],
  tabs: ["apiVersion: v1\nkind: ConfigMap\nmetadata:\n\tname: x\n", "4:1 yaml", /a tab indents this line/],
  "a key that is there twice": [
    map("data: {a: b}\ndata: {a: c}\n"),
    "5:1 yaml",
    /data is there twice, first in line 4/,
  ],
  "Latin-1": [Buffer.from(map("data: {a: ä}\n"), "latin1"), "4:1 file", /is not UTF-8: byte 0xe4/],
  "UTF-16": [Buffer.from(`\uFEFF${map("")}`, "utf16le"), "1:1 file", /is UTF-16/],
  "control characters": [map("data: {a: \u0000}\n"), "4:11 yaml", /null byte/],
  "names of JavaScript's own": [
    JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" }, constructor: { prototype: 1 } }),
    "1:63 unknown-field",
    /unknown field "constructor"/,
  ],
};

describe("check() of hostile texts", () => {
  for (const [name, [text, place, message]] of Object.entries(cases))
    it(`has a clear word for ${name}`, () => {
      const findings = judge(typeof text === "string" ? Buffer.from(text) : text);
      assert.equal(findings.length, 1);
      const [finding] = findings;
      assert.equal(`${finding?.line}:${finding?.column} ${finding?.rule}`, place);
      assert.match(finding?.message ?? "", message);
    });

  for (const [name, text] of [
    ["a byte order mark", `\uFEFF${map("")}`],
    ["line ends of Windows", map("data: {a: b}\n").replaceAll("\n", "\r\n")],
    ["nothing", ""],
    ["nothing but comments", "# a\n---\n# b\n...\n"],
  ] as const)
    it(`takes ${name}`, () => assert.deepEqual(judge(Buffer.from(text)), []));

  it("counts lines with line ends of Windows", () => {
    const service = "apiVersion: v1\nkind: Service\nmetadata: {name: NAME}\nspec:\n  ports:\n  - port: 0\n";
    const text = `${service.replace("NAME", "a")}---\n${service.replace("NAME", "b")}`.replaceAll("\n", "\r\n");
    assert.deepEqual(
      judge(Buffer.from(text)).map(({ line, column }) => `${line}:${column}`),
      ["6:5", "13:5"],
    );
  });

  it("tells a thousand problems of a file and counts the others", () => {
    const text = many(
      1_500,
      (index) => `apiVersion: v1\nkind: Service\nmetadata: {name: s${index}}\nspec: {ports: [{port: 0}]}\n---\n`,
    );
    const findings = judge(Buffer.from(text));
    assert.equal(findings.length, 1_001);
    assert.equal(findings[0]?.message, "… and 500 more problems in this file");
  });
});
