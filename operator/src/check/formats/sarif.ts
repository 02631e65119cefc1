import { pathToFileURL } from "node:url";
import { isAbsolute } from "node:path";
import { type Finding, formatIdentity, withHint } from "../finding.ts";
import { describeRule } from "../rules.ts";

/** https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html */
export function formatSarif(findings: readonly Finding[], version: string): string {
  const ids = [...new Set(findings.map(({ rule }) => rule))].toSorted();
  const log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "gatewright",
            semanticVersion: version,
            rules: ids.map((id) => ({ id, shortDescription: { text: describeRule(id) } })),
          },
        },
        columnKind: "utf16CodeUnits",
        results: findings.map((finding) => resultOf(finding, ids.indexOf(finding.rule))),
      },
    ],
  };
  return `${JSON.stringify(log, undefined, 2)}\n`;
}

function resultOf(finding: Finding, ruleIndex: number): object {
  const { severity, file, line, column, rule, field } = finding;
  const about = formatIdentity(finding);
  const name = [about, field].filter((part) => part !== "").join(" ");
  return {
    ruleId: rule,
    ruleIndex,
    level: severity,
    message: { text: `${name === "" ? "" : `${name}: `}${withHint(finding)}` },
    locations: [
      {
        ...(file !== "" && {
          physicalLocation: {
            artifactLocation: { uri: uriOf(file) },
            region: { startLine: line, startColumn: column },
          },
        }),
        ...(about !== "" && { logicalLocations: [{ fullyQualifiedName: name, kind: "object" }] }),
      },
    ],
  };
}

/** Relative ones stay so: a viewer knows the root. */
const uriOf = (file: string): string =>
  isAbsolute(file) ? pathToFileURL(file).href : file.split("/").map(encodeURIComponent).join("/");
