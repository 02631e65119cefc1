// Writes the tables and charts of results: `node --conditions=source test/bench/cluster/report-main.ts FOLDER RESULTS…`
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { charts, formatTables, type Results } from "./report.ts";

const [folder = "docs/performance", ...files] = process.argv.slice(2);
const read = await Promise.all(files.map(async (file) => JSON.parse(await readFile(file, "utf8")) as Results));
const [first] = read;
if (first === undefined) {
  console.error("usage: report-main.ts FOLDER RESULTS…");
  process.exit(2);
}
const results: Results = { machine: first.machine, outcomes: read.flatMap(({ outcomes }) => outcomes) };
await mkdir(folder, { recursive: true });
for (const [name, svg] of charts(results)) await writeFile(path.join(folder, name), svg);
await writeFile(
  path.join(folder, "results.json"),
  `${JSON.stringify({ runs: read.map(({ machine }) => machine), outcomes: results.outcomes }, undefined, 1)}\n`,
);
console.log(formatTables(results));
