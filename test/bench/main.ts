// `npm run bench -- [--n 10,1000,10000] [--layout files,one-file] [--edits 30] [--json FILE]`
import { writeFile } from "node:fs/promises";
import { cpus, release } from "node:os";
import { parseArgs } from "node:util";
import type { Layout } from "./routes.ts";
import { benchChecks } from "./check.ts";
import { benchCluster } from "./cluster/main.ts";
import { runProperty } from "./property.ts";
import { benchStandalone, type StandaloneResult } from "./standalone.ts";

if (process.argv[2] === "check") process.exit(await benchChecks(process.argv[3]));
const [verb, ...verbArgs] = process.argv.slice(2);
if (verb === "cluster") process.exit(await benchCluster(verbArgs));
if (verb === "property") process.exit(await runProperty(verbArgs));

const usage = `Usage: npm run bench -- [options]

Measures standalone mode with a real Envoy: start-up, and edits of one route among many. \`npm run bench -- cluster --help\`: implementations
beside each other, on a Kubernetes API server. \`npm run bench -- check [1,1000,10000]\`: \`gatewright check\` of so many routes.

  --n LIST        numbers of routes (default 10,1000,10000)
  --layout LIST   files (a route a file), one-file (all in one) (default files,one-file)
  --edits N       edits measured for each (default 30)
  --json FILE     also write the results there
  --help          this text

CPU times are those of the scheduler and steady on a busy machine; wall times are not: compare them within one run only.
`;

const { values } = parseArgs({
  options: {
    n: { type: "string", default: "10,1000,10000" },
    layout: { type: "string", default: "files,one-file" },
    edits: { type: "string", default: "30" },
    json: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

if (values.help) {
  console.log(usage);
  process.exit(0);
}

const isLayout = (name: string): name is Layout => name === "files" || name === "one-file";
const counts = values.n.split(",").map(Number);
const layouts = values.layout.split(",").filter(isLayout);
const edits = Number(values.edits);
if (layouts.length === 0 || edits < 1 || counts.some((count) => !Number.isInteger(count) || count < 1)) {
  console.error(usage);
  process.exit(2);
}

console.log(
  `${cpus()[0]?.model ?? "unknown processor"}, ${cpus().length} cores, Linux ${release()}, Node ${process.version}\n`,
);
const results: StandaloneResult[] = [];
for (const layout of layouts) {
  for (const count of counts) {
    console.log(`measuring ${count} routes, ${layout === "files" ? "a file each" : "all in one file"} …`);
    results.push(await benchStandalone(count, layout, edits));
  }
}

console.table(
  results.map(({ editMs, ...rest }) => ({ ...rest, editP50Ms: editMs.p50, editP95Ms: editMs.p95 })),
  [
    "routes",
    "layout",
    "startMs",
    "startCpuMs",
    "editP50Ms",
    "editP95Ms",
    "editCpuMs",
    "readCpuMs",
    "envoyCpuMs",
    "editBytes",
    "operatorMiB",
    "operatorPeakMiB",
    "envoyMiB",
  ],
);
for (const layout of layouts) {
  const of = results.filter((result) => result.layout === layout);
  const [first, last] = [of.at(0), of.at(-1)];
  if (first === undefined || last === undefined || first === last) continue;
  const ratio = (last.editCpuMs / first.editCpuMs).toFixed(1);
  console.log(`${layout}: CPU for one edit with ${last.routes} routes is ${ratio} times that with ${first.routes}`);
}
if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(results, undefined, 2)}\n`);
