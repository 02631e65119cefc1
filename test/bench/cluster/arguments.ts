import path from "node:path";
import { parseArgs } from "node:util";
import { isSideName, type SideName, sideNames } from "./sides/side.ts";
import { workloads as known } from "./workload-list.ts";

const workloadNames = ["W1", ...known.map(({ name }) => name), "W11"];
const outFolder = path.resolve(import.meta.dirname, "../out/cluster");
const reportFolder = path.resolve(import.meta.dirname, "../../../docs/performance");

export const usage = `Usage: npm run bench -- cluster [options]
       npm run bench -- cluster --report [FOLDER…]

Measures implementations of the Gateway API beside each other: a Kubernetes API server without a cluster, the same objects, one real Envoy.
Needs Linux, and root or unprivileged user namespaces. Programs are built once, from their sources. A run that was ended goes on where it
was, if it is started again with the same options.

  --impl LIST       of ${sideNames.join(", ")} (default all)
  --n LIST          numbers of routes (default 1,100,1000,5000,10000)
  --rounds N        how often each implementation has its turn (default 3)
  --workloads LIST  in place of what is measured by default at each number of routes
  --probes N        at most so many changes of a kind (default 50)
  --repeat N        how often what other work has disturbed is measured again (default 2)
  --soak-minutes N  for W13, which runs only if it is asked for (default 30)
  --smoke           a short run of ours alone, for the gate
  --sources         measure the sources of this checkout, not what would be published of its commit
  --node-flags TEXT flags of Node for our operator, for profiles
  --out FOLDER      where results are kept (default test/bench/out/cluster)
  --fresh           delete results that are there
  --report          write tables and charts of such folders into docs/performance; --to FOLDER for another place
  --help            this text

Workloads: W1 routes are loaded, ${known.map(({ name, title }) => `${name} ${title}`).join(", ")}, W11 all routes go.
`;

export type RunArguments = {
  readonly sides: readonly SideName[];
  readonly counts: readonly number[];
  readonly rounds: number;
  readonly mostChanges: number;
  readonly repeats: number;
  readonly soakMs: number;
  readonly workloads?: readonly string[];
  readonly isSmoke: boolean;
  readonly ofSources: boolean;
  readonly nodeFlags: readonly string[];
  readonly out: string;
  readonly isFresh: boolean;
};

export type Arguments =
  | { readonly kind: "run"; readonly run: RunArguments }
  | { readonly kind: "report"; readonly folders: readonly string[]; readonly to: string }
  | { readonly kind: "help" }
  | { readonly kind: "wrong"; readonly problem: string };

/** What a run of the gate is: enough to see growth, of which nothing is a time. */
const smoke = {
  impl: "ours",
  n: "100,1000",
  rounds: "1",
  probes: "8",
  repeat: "0",
  workloads: "W1,W2,W3,W4,W8-checked,W12",
} as const;

const texts = {
  impl: sideNames.join(","),
  n: "1,100,1000,5000,10000",
  rounds: "3",
  probes: "50",
  repeat: "2",
  workloads: "",
};

export function parseArguments(args: readonly string[]): Arguments {
  const text = { type: "string" } as const;
  const flag = { type: "boolean", default: false } as const;
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        impl: text,
        n: text,
        rounds: text,
        probes: text,
        repeat: text,
        workloads: text,
        smoke: flag,
        sources: flag,
        fresh: flag,
        report: flag,
        help: flag,
        "soak-minutes": { ...text, default: "30" },
        "node-flags": { ...text, default: "" },
        out: { ...text, default: outFolder },
        to: { ...text, default: reportFolder },
      },
    });
    if (values.help) return { kind: "help" };
    if (values.report)
      return { kind: "report", folders: positionals.length === 0 ? [outFolder] : positionals, to: values.to };
    if (positionals.length > 0) return wrong(`${positionals.join(" ")} is no option`);
    const given = { ...(values.smoke ? smoke : texts), ...values };
    const workloads = list(given.workloads);
    const unknown = workloads.find((name) => !workloadNames.includes(name));
    if (unknown !== undefined) return wrong(`there is no workload ${unknown}`);
    const sides = list(given.impl).filter(isSideName);
    const stranger = list(given.impl).find((name) => !isSideName(name));
    if (stranger !== undefined) return wrong(`there is no implementation ${stranger}`);
    const counts = list(given.n).map(wholeNumber);
    const [rounds, mostChanges, repeats] = [given.rounds, given.probes, given.repeat].map(wholeNumber);
    if (sides.length === 0 || counts.length === 0) return wrong("nothing to measure");
    const soakMinutes = Number(values["soak-minutes"]);
    if (counts.includes(0) || !rounds || !mostChanges || repeats === undefined || !(soakMinutes > 0))
      return wrong("routes, rounds, probes and minutes are at least 1");
    return {
      kind: "run",
      run: {
        sides,
        counts,
        rounds,
        mostChanges,
        repeats,
        soakMs: soakMinutes * 60_000,
        ...(workloads.length > 0 && { workloads }),
        isSmoke: values.smoke,
        ofSources: values.sources,
        nodeFlags: values["node-flags"].split(" ").filter(Boolean),
        out: values.out,
        isFresh: values.fresh,
      },
    };
  } catch (error) {
    return wrong(error instanceof Error ? error.message : String(error));
  }
}

const wrong = (problem: string): Arguments => ({ kind: "wrong", problem });

const list = (text: string): readonly string[] => text.split(",").filter((word) => word !== "");

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`${text} is no whole number`);
  return Number(text);
}
