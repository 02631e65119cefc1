// Asks the API server's own code for its verdicts and writes them down, for the test beside this file to compare with.
// Compares many more cases on the way. Needed when the versions in go.mod change: building the program takes minutes.
//
//   node --conditions=source test/oracle/structural-schema/record.ts [seed]
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type Case, inventedCases, kindCases, schemaOf } from "./corpus.ts";
import { isKnownDifference, ourVerdict, theirVerdict, type Verdict } from "./verdict.ts";

const here = import.meta.dirname;
const maxRecordedBytes = 1_200;

function judge(cases: readonly Case[]): readonly Verdict[] {
  const folder = mkdtempSync(path.join(tmpdir(), "structural-schema-"));
  try {
    const program = path.join(folder, "oracle");
    const env = { ...process.env, GOTOOLCHAIN: "go1.27.3", CGO_ENABLED: "0", GOWORK: "off" };
    const built = spawnSync("go", ["build", "-o", program, "."], { cwd: here, env, encoding: "utf8" });
    if (built.status !== 0) throw new Error(built.stderr);
    const input = cases.map((one) => JSON.stringify({ schema: schemaOf(one), value: one.value })).join("\n");
    const { stdout } = spawnSync(program, { input, encoding: "utf8", maxBuffer: 2 ** 31 });
    return stdout
      .trim()
      .split("\n")
      .map((line) => {
        const answer = JSON.parse(line);
        if (answer.error !== undefined) throw new Error(answer.error);
        return answer;
      });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What a case shows, whatever its names and values: a few cases of each are kept. */
function novelties(one: Case, verdict: Verdict): readonly string[] {
  const shapes = verdict.problems.map((problem) =>
    problem
      .replace(/^\S*: /, "")
      .replaceAll(/"(?:[^"\\]|\\.)*"|'[^']*'|[{[].*[}\]]|-?\d+(\.\d+)?/g, "_")
      .replaceAll(/(_, )+/g, "")
      .replaceAll(/[\w.[\]]+ in body/g, "in body"),
  );
  const changed = isDeepStrictEqual(one.value, verdict.defaulted) ? "as it was" : "defaulted";
  return [...shapes, ...verdict.unknown.map(() => "unknown"), `${changed} ${one.kind}`];
}

const seed = Number(process.argv[2] ?? 1);
const cases = [...kindCases(seed, 60), ...inventedCases(seed, 20_000)];
const verdicts = judge(cases);

let differences = 0;
const seen = new Map<string, number>();
const recorded: unknown[] = [];
for (const [index, one] of cases.entries()) {
  const said = verdicts[index];
  if (said === undefined) throw new Error("an answer is missing");
  const [ours, theirs] = [ourVerdict(schemaOf(one), one.value), theirVerdict(said)];
  if (!isDeepStrictEqual(ours, theirs)) {
    const isKnown = isKnownDifference(ours, theirs) || ours.problems.length >= 100;
    if (!isKnown && differences++ < 10)
      process.stderr.write(`${JSON.stringify({ ...one, ours, theirs }, undefined, 1)}\n`);
    continue;
  }
  const isNew = novelties(one, theirs).some((shape) => (seen.get(shape) ?? 0) < 2);
  const line = JSON.stringify({ ...one, ...theirs });
  if (!isNew || line.length > maxRecordedBytes) continue;
  for (const shape of novelties(one, theirs)) seen.set(shape, (seen.get(shape) ?? 0) + 1);
  recorded.push({ ...one, ...theirs });
}
writeFileSync(path.join(here, "verdicts.json"), `[\n${recorded.map((one) => JSON.stringify(one)).join(",\n")}\n]\n`);
process.stdout.write(`${cases.length} cases, ${differences} differences, ${recorded.length} recorded\n`);
process.exitCode = differences === 0 ? 0 : 1;
