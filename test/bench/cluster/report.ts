// Tables and charts of results, for docs/performance.
import { chartSvg, type Series } from "./chart.ts";
import type { Outcome } from "./run.ts";
import { type SideName, sideNames } from "./sides/side.ts";

/** Where the run took place and what was run. */
export type Machine = {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly linux: string;
  readonly node: string;
  /** Processes that wanted to run, on average over a minute. */
  readonly loadAtBegin: number;
  readonly date: string;
  readonly command: string;
  readonly versions: Readonly<Record<string, string>>;
};

export type Results = { readonly machine: Machine; readonly outcomes: readonly Outcome[] };

type Row = {
  readonly title: string;
  readonly workload: string;
  readonly figure: string;
  readonly format: (value: number) => string;
  /** File of a chart over the number of routes. Left out: only in the table. */
  readonly chart?: string;
};

const ms = (value: number) =>
  value >= 10_000 ? `${(value / 1000).toFixed(1)} s` : `${value.toFixed(value < 10 ? 1 : 0)} ms`;
const bytes = (value: number) =>
  value >= 1e6
    ? `${(value / 1e6).toFixed(2)} MB`
    : value >= 1e4
      ? `${(value / 1e3).toFixed(0)} kB`
      : `${Math.round(value)} B`;
const mebibytes = (value: number) => `${Math.round(value)} MiB`;
const count = (value: number) => String(Math.round(value * 100) / 100);

const rows: readonly Row[] = [
  { title: "New route until 200, p50", workload: "W2 new route", figure: "p50Ms", format: ms, chart: "new-route" },
  { title: "New route until 200, p95", workload: "W2 new route", figure: "p95Ms", format: ms },
  { title: "… control plane CPU", workload: "W2 new route", figure: "sideCpuMs", format: ms, chart: "new-route-cpu" },
  { title: "… Envoy CPU", workload: "W2 new route", figure: "envoyCpuMs", format: ms },
  { title: "… bytes to Envoy", workload: "W2 new route", figure: "bytes", format: bytes, chart: "new-route-bytes" },
  { title: "… answers other than 404 and 200", workload: "W2 new route", figure: "wrong", format: count },
  { title: "Changed route seen, p50", workload: "W2 changed route", figure: "p50Ms", format: ms },
  { title: "… control plane CPU", workload: "W2 changed route", figure: "sideCpuMs", format: ms },
  { title: "Endpoint change seen, p50", workload: "W4", figure: "p50Ms", format: ms, chart: "endpoint-change" },
  { title: "… control plane CPU", workload: "W4", figure: "sideCpuMs", format: ms },
  { title: "… bytes to Envoy", workload: "W4", figure: "bytes", format: bytes },
  { title: "Errors while a route changes under load", workload: "W3", figure: "wrong", format: count },
  { title: "All statuses after the last of a load", workload: "W1", figure: "statusesMs", format: ms },
  { title: "… control plane CPU of the load", workload: "W1", figure: "sideCpuMs", format: ms },
  { title: "… API server CPU of the load", workload: "W1", figure: "apiServerCpuMs", format: ms },
  { title: "… status writes a route", workload: "W1", figure: "statusWritesPerRoute", format: count },
  {
    title: "Control plane restart: bytes sent to an Envoy that has all",
    workload: "W10",
    figure: "restartBytes",
    format: bytes,
  },
  { title: "… status writes", workload: "W10", figure: "restartStatusWrites", format: count },
  { title: "Cold start, all of it, until the last route answers", workload: "W10", figure: "coldStartMs", format: ms },
  { title: "… control plane CPU", workload: "W10", figure: "coldCpuMs", format: ms },
  { title: "… memory at its peak", workload: "W10", figure: "coldPeakMiB", format: mebibytes },
  {
    title: "Memory at its peak after load and changes",
    workload: "W12",
    figure: "sidePeakMiB",
    format: mebibytes,
    chart: "memory",
  },
  { title: "Envoy's memory", workload: "W12", figure: "envoyMiB", format: mebibytes },
  { title: "Idle: CPU a second", workload: "W12", figure: "cpuMsPerSecond", format: ms },
];

const colors: Readonly<Record<SideName, string>> = { ours: "#0969da", "envoy-gateway": "#cf5a00", null: "#6e7781" };
const labels: Readonly<Record<SideName, string>> = {
  ours: "Gatewright",
  "envoy-gateway": "Envoy Gateway",
  null: "floor",
};

/** What each row says of a side at a number of routes, in the order of rounds. */
function valuesOf({ outcomes }: Results, row: Row, side: SideName, routes: number): readonly number[] {
  return outcomes.flatMap((one) => {
    if (one.side !== side || one.routes !== routes || one.workload !== row.workload) return [];
    const figures: Readonly<Record<string, number>> = {
      ...one.figures,
      statusWritesPerRoute: (one.figures["routeStatusWrites"] ?? Number.NaN) / (one.figures["routes"] ?? Number.NaN),
    };
    const value = figures[row.figure];
    return value === undefined || !Number.isFinite(value) ? [] : [value];
  });
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? Number.NaN;

/** A table for each number of routes: the median of the rounds, and from where to where they went. */
export function formatTables(results: Results): string {
  const sides = sideNames.filter((side) => results.outcomes.some((one) => one.side === side));
  const counts = [...new Set(results.outcomes.map(({ routes }) => routes))].toSorted((a, b) => a - b);
  return counts
    .map((routes) => {
      const lines = rows.flatMap((row) => {
        const cells = sides.map((side) => formatCell(valuesOf(results, row, side, routes), row.format));
        return cells.every((cell) => cell === "") ? [] : [`| ${row.title} | ${cells.join(" | ")} |`];
      });
      const head = `| ${routes.toLocaleString("en")} routes | ${sides.map((side) => labels[side]).join(" | ")} |`;
      return [head, `|---|${sides.map(() => "---:|").join("")}`, ...lines].join("\n");
    })
    .join("\n\n");
}

function formatCell(values: readonly number[], format: (value: number) => string): string {
  if (values.length === 0) return "";
  const [low, high] = [format(Math.min(...values)), format(Math.max(...values))];
  return low === high ? format(median(values)) : `${format(median(values))} (${low} – ${high})`;
}

/** Charts by file name. */
export function charts(results: Results): ReadonlyMap<string, string> {
  const made = new Map<string, string>();
  for (const row of rows) {
    if (row.chart === undefined) continue;
    const series = sideNames.flatMap((side) => seriesOf(results, row, side));
    if (series.length === 0) continue;
    const title = row.title.startsWith("…") ? `New route: ${row.title.slice(2)}` : row.title;
    made.set(`${row.chart}.svg`, chartSvg({ title, xLabel: "routes", series, format: row.format }));
  }
  return made;
}

function seriesOf(results: Results, row: Row, side: SideName): readonly Series[] {
  const counts = [...new Set(results.outcomes.map(({ routes }) => routes))].toSorted((a, b) => a - b);
  const points = counts.flatMap((routes) => {
    const values = valuesOf(results, row, side, routes).filter((value) => value > 0);
    if (values.length === 0) return [];
    return [{ x: routes, y: median(values), low: Math.min(...values), high: Math.max(...values) }];
  });
  if (points.length === 0) return [];
  return [{ name: labels[side], color: colors[side], isDashed: side === "null", points }];
}
