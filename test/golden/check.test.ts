// Manifests in (`check/*.in.yaml`), and what `check` prints of all of them in each of its formats (`check/out.*`).
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Schema, validate } from "@gatewright/crd-types/schema";
import { check, formatFindings, type Input, outputFormats, summarize } from "../../operator/src/check/index.ts";

const folder = fileURLToPath(new URL("check", import.meta.url));
const updates = process.env["UPDATE_GOLDEN"] === "1";

const inputs: readonly Input[] = globSync("*.in.yaml", { cwd: folder })
  .toSorted()
  .map((name) => ({ name, bytes: readFileSync(join(folder, name)) }));

const verdict = check(inputs, {
  channel: "experimental",
  isComplete: false,
  controllerName: "gatewright.dev/gateway-controller",
  gatewayClass: "gatewright",
  rootNamespace: "gatewright-system",
  nowMs: Date.parse("2026-06-21T12:00:00Z"),
});
const outputOf = (format: (typeof outputFormats)[number]): string =>
  formatFindings(format, verdict, { isStrict: false, isColoured: false, version: "1.2.3" });

describe("golden: check", () => {
  for (const format of outputFormats)
    it(`as ${format}`, () => {
      const file = join(folder, `out.${format}`);
      const text = outputOf(format) + (format === "text" ? `${summarize(verdict)}\n` : "");
      if (updates) writeFileSync(file, text);
      else assert.equal(text, existsSync(file) ? readFileSync(file, "utf8") : "");
    });

  it("is the same whatever the order of the files", () => {
    const { findings } = check(inputs.toReversed(), {
      channel: "experimental",
      isComplete: false,
      controllerName: "gatewright.dev/gateway-controller",
      gatewayClass: "gatewright",
      rootNamespace: "gatewright-system",
      nowMs: Date.parse("2026-06-21T12:00:00Z"),
    });
    assert.deepEqual(findings, verdict.findings);
  });

  it("has the members that JSON promises, in every line", () => {
    const lines = outputOf("json").trim().split("\n");
    assert.equal(lines.length, verdict.findings.length);
    const members = "severity file line column group kind namespace name field rule message".split(" ");
    for (const line of lines) assert.deepEqual(Object.keys(JSON.parse(line)), members);
  });

  it("is SARIF 2.1.0", () => {
    const log: unknown = JSON.parse(outputOf("sarif"));
    assert.deepEqual(validate(sarif, log), []);
  });

  it("is well-formed XML for JUnit, whose counts are right", () => {
    const text = outputOf("junit");
    const names = elementsOf(text);
    const [suites = ""] = /<testsuites [^>]*>/.exec(text) ?? [];
    assert.equal(Number(/tests="(\d+)"/.exec(suites)?.[1]), names.filter((name) => name === "testcase").length);
    assert.equal(Number(/failures="(\d+)"/.exec(suites)?.[1]), names.filter((name) => name === "failure").length);
  });
});

/** Names of the elements of a well-formed document, in order; throws where it is none. */
function elementsOf(xml: string): readonly string[] {
  const names: string[] = [];
  const open: string[] = [];
  const token =
    /<\?xml [^>]*\?>|<\/([\w-]+)>|<([\w-]+)((?: \w+="[^"<&]*(?:&(?:\w+|#\d+);[^"<&]*)*")*)(\/?)>|(?:[^<&]|&(?:\w+|#\d+);)+/y;
  while (token.lastIndex < xml.length) {
    const at = token.lastIndex;
    const match = token.exec(xml);
    assert(match !== null, `no XML: ${xml.slice(at, at + 80)}`);
    const [, closed, opened, , empty] = match;
    if (closed !== undefined) assert.equal(open.pop(), closed);
    if (opened === undefined) continue;
    names.push(opened);
    if (empty === "") open.push(opened);
  }
  assert.deepEqual(open, []);
  return names;
}

const object = (
  required: Readonly<Record<string, Schema>>,
  optional: Readonly<Record<string, Schema>> = {},
): Schema => ({
  type: "object",
  required: Object.keys(required),
  properties: { ...required, ...optional },
});
const text: Schema = { type: "string", minLength: 1 };
const positive: Schema = { type: "integer", minimum: 1 };
const list = (items: Schema): Schema => ({ type: "array", items });

/** The part that we write of https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json. */
const sarif = object({
  $schema: text,
  version: { type: "string", enum: ["2.1.0"] },
  runs: list(
    object({
      tool: object({
        driver: object({
          name: text,
          semanticVersion: text,
          rules: list(object({ id: text, shortDescription: object({ text }) })),
        }),
      }),
      columnKind: { type: "string", enum: ["utf16CodeUnits"] },
      results: list(
        object({
          ruleId: text,
          ruleIndex: { type: "integer", minimum: 0 },
          level: { type: "string", enum: ["error", "warning"] },
          message: object({ text }),
          locations: list(
            object(
              {},
              {
                physicalLocation: object({
                  artifactLocation: object({ uri: { type: "string", pattern: "^[A-Za-z0-9%._~:/-]+$" } }),
                  region: object({ startLine: positive, startColumn: positive }),
                }),
                logicalLocations: list(object({ fullyQualifiedName: text, kind: text })),
              },
            ),
          ),
        }),
      ),
    }),
  ),
});
