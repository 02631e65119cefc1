// Asks the code of kubectl and of the API server for its verdicts and writes them down, for the test beside this file to compare with.
// Compares many more cases on the way. Needed when the versions in go.mod change, or schemas: building the program takes minutes.
//
//   node --conditions=source test/oracle/api-server/record.ts [seed]
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type Case, manifests, requestOf, scalars } from "./corpus.ts";
import { inventedRuleCases, writtenRuleCases } from "./rule-cases.ts";
import { essence, isMeantToDiffer, ourVerdict, type Verdict } from "./verdict.ts";

const here = import.meta.dirname;
/** Lists must not fill up with one long text. */
const maxWrittenBytes = 12_000;
const maxInventedBytes = 6_000;

function build(folder: string): string {
  const program = path.join(folder, "oracle");
  const env = { ...process.env, GOTOOLCHAIN: "go1.27.3", CGO_ENABLED: "0", GOWORK: "off" };
  const { status, stderr } = spawnSync("go", ["build", "-o", program, "."], { cwd: here, env, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return program;
}

function judge(cases: readonly Case[]): readonly Verdict[] {
  const folder = mkdtempSync(path.join(tmpdir(), "api-server-"));
  try {
    const program = process.env["API_SERVER_ORACLE"] ?? build(folder);
    const input = cases.map((one) => JSON.stringify(requestOf(one))).join("\n");
    const { stdout } = spawnSync(program, { input, encoding: "utf8", maxBuffer: 2 ** 31 });
    return stdout
      .trim()
      .split("\n")
      .map((line): Verdict => JSON.parse(line));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const seed = Number(process.argv[2] ?? 1);
const fixed = [...scalars, ...manifests, ...writtenRuleCases];
const cases = [...fixed, ...inventedRuleCases(seed, 400)];
const verdicts = judge(cases);

let differences = 0;
const told = new Set<string>();
const recorded: unknown[] = [];
for (const [index, one] of cases.entries()) {
  const theirs = verdicts[index];
  if (theirs === undefined) throw new Error("an answer is missing");
  const ours = ourVerdict(one);
  if (!isDeepStrictEqual(essence(ours, one), essence(theirs, one))) {
    if (!isMeantToDiffer(one) && differences++ < 30)
      process.stderr.write(
        `${one.text}\n  ours:   ${JSON.stringify(ours).slice(0, 1_500)}\n  theirs: ${JSON.stringify(theirs).slice(0, 1_500)}\n`,
      );
    continue;
  }
  const { json, data, problems } = theirs;
  const line = JSON.stringify({
    ...one,
    ...(one.kind === undefined ? { json } : {}),
    ...(data === undefined ? {} : { data }),
    problems,
  });
  const news = problems
    .map((problem) => `${one.kind} ${problem.replace(/^\S+ /, "").replaceAll(/"[^"]*"|\d+/g, "_")}`)
    .filter((problem) => !told.has(problem));
  for (const problem of news) told.add(problem);
  const isKept = index < fixed.length || (news.length > 0 && line.length <= maxInventedBytes);
  if (isKept && line.length <= maxWrittenBytes) recorded.push(line);
}
writeFileSync(path.join(here, "verdicts.json"), `[\n${recorded.join(",\n")}\n]\n`);
process.stdout.write(`${cases.length} cases, ${differences} differences, ${recorded.length} recorded\n`);
process.exitCode = differences === 0 ? 0 : 1;
