// What figures say, as Markdown.
import { type FigureSource, formatExponent, formatSpread } from "./report-figures.ts";
import { bytes, count, type Group, growthGroups, labels, mebibytes, ms, otherGroups, type Row } from "./report-rows.ts";
import type { Results } from "./results.ts";
import { mostForeign } from "./run.ts";
import type { SideName } from "./sides/side.ts";

const table = (head: readonly string[], lines: readonly (readonly string[])[], left = 1): string =>
  [head, head.map((_, at) => (at < left ? "---" : "---:")), ...lines]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");

const routesText = (routes: number): string => `${routes.toLocaleString("en")} ${routes === 1 ? "route" : "routes"}`;

/** One table for each group: a column for each number of routes, a line for each side. */
export function formatGrowth(source: FigureSource): string {
  return growthGroups
    .flatMap((group) => {
      const counts = source.counts.filter((routes) => isMeasured(source, group, routes));
      const lines = group.rows.flatMap((row) =>
        source.sides.flatMap((side) => {
          const cells = counts.map((routes) => formatSpread(source.at(row, side, routes), row.format));
          return cells.every((cell) => cell === "") ? [] : [[row.title, labels[side], ...cells]];
        }),
      );
      const head = ["", "", ...counts.map(routesText)];
      return lines.length === 0 ? [] : [`### ${group.title}\n\n${table(head, titledOnce(lines), 2)}`];
    })
    .join("\n\n");
}

const isMeasured = (source: FigureSource, { rows }: Group, routes: number): boolean =>
  rows.some((row) => source.sides.some((side) => source.at(row, side, routes) !== undefined));

const titledOnce = (lines: readonly (readonly string[])[]): readonly (readonly string[])[] =>
  lines.map(([title = "", ...rest], at) => [title === lines[at - 1]?.[0] ? "" : title, ...rest]);

/** One table for each number of routes at which these were measured: a column for each side. */
export function formatOthers(source: FigureSource): string {
  return source.counts
    .flatMap((routes) => {
      const sides = source.sides.filter((side) =>
        otherGroups.some(({ rows }) => rows.some((row) => source.at(row, side, routes) !== undefined)),
      );
      if (sides.length === 0) return [];
      const lines = otherGroups.flatMap(({ title, rows }) => {
        const ofGroup = rows.flatMap((row) => {
          const cells = sides.map((side) => formatSpread(source.at(row, side, routes), row.format));
          return cells.every((cell) => cell === "") ? [] : [[row.title, ...cells]];
        });
        return ofGroup.length === 0 ? [] : [[`**${title}**`, ...sides.map(() => "")], ...ofGroup];
      });
      return [table([`with ${routesText(routes)}`, ...sides.map((side) => labels[side])], lines)];
    })
    .join("\n\n");
}

export function formatExponents(source: FigureSource): string {
  const lines = growthGroups.flatMap(({ title, rows }) =>
    rows
      .filter(({ isGrowth }) => isGrowth)
      .flatMap((row) => {
        const cells = source.sides.map((side) => formatSpread(source.exponent(row, side), formatExponent));
        return cells.every((cell) => cell === "") ? [] : [[`${title}: ${row.title}`, ...cells]];
      }),
  );
  return table(["grows with this power of the number of routes", ...source.sides.map((side) => labels[side])], lines);
}

/** Every figure that is lower for the peer at some number of routes: all of them are better if they are lower. */
export function formatBetter(source: FigureSource, peer: SideName = "envoy-gateway"): string {
  const lines = [...growthGroups, ...otherGroups].flatMap(({ title, rows }) =>
    rows
      .filter(({ workload, figure }) => workload !== "W13" && figure !== "answers")
      .flatMap((row) => {
        const worse = source.counts.flatMap((routes) => {
          const [own, other] = [source.at(row, "ours", routes), source.at(row, peer, routes)];
          if (own === undefined || other === undefined || other.median >= own.median) return [];
          const [theirs, ours] = [row.format(other.median), row.format(own.median)];
          if (theirs === ours) return [];
          const doubt = other.count === 1 ? " (one round)" : " (within what rounds differ by)";
          return [
            `${theirs} against ${ours} with ${routesText(routes)}${other.count > 1 && other.high < own.low ? "" : doubt}`,
          ];
        });
        return worse.length === 0 ? [] : [`- ${title}, ${row.title}: ${worse.join("; ")}`];
      }),
  );
  return lines.length === 0 ? "In none of the figures above." : lines.join("\n");
}

type Target = {
  readonly text: string;
  readonly row: Pick<Row, "workload" | "figure" | "format">;
  readonly routes: number;
  readonly limit: number | ((source: FigureSource) => number | undefined);
};

const figure = (source: FigureSource, row: Target["row"], side: SideName, routes: number) =>
  source.at({ title: "", ...row }, side, routes)?.median;

const newRoute = { workload: "W2 new route", figure: "p50Ms", format: ms };
const cpu = (workload: string) => ({ workload, figure: "sideCpuMs", format: ms });
const most = 10_000;

const targets: readonly Target[] = [
  {
    text: "a new route until its first 200, p50 ≤ floor + 20 ms",
    row: newRoute,
    routes: most,
    limit: (source) => {
      const floor = figure(source, newRoute, "null", most);
      return floor === undefined ? undefined : floor + 20;
    },
  },
  ...["W2 new route", "W2 changed route"].flatMap((workload): Target[] => {
    const what = workload.slice(3);
    return [
      { text: `control plane CPU of a ${what} ≤ 3 ms`, row: cpu(workload), routes: most, limit: 3 },
      {
        text: `control plane CPU of a ${what} ≤ 2 × that with 100 routes`,
        row: cpu(workload),
        routes: most,
        limit: (source) => {
          const before = figure(source, cpu(workload), "ours", 100);
          return before === undefined ? undefined : 2 * before;
        },
      },
    ];
  }),
  {
    text: "bytes to Envoy for a new route ≤ 2 kB",
    row: { workload: "W2 new route", figure: "bytes", format: bytes },
    routes: most,
    limit: 2_000,
  },
  {
    text: "answers other than 404 and 200 for new routes: none",
    row: { workload: "W2 new route", figure: "wrong", format: count },
    routes: most,
    limit: 0,
  },
  {
    text: "answers other than 200 while a route changes under load: none",
    row: { workload: "W3", figure: "wrong", format: count },
    routes: 1_000,
    limit: 0,
  },
  {
    text: "an endpoint change until it is seen, p50 ≤ 15 ms",
    row: { workload: "W4", figure: "p50Ms", format: ms },
    routes: most,
    limit: 15,
  },
  {
    text: "a certificate until it is shown, p50 ≤ 50 ms",
    row: { workload: "W6 certificate", figure: "p50Ms", format: ms },
    routes: 1_000,
    limit: 50,
  },
  {
    text: "listeners changed by a rotation: none",
    row: { workload: "W6 certificate", figure: "listeners", format: count },
    routes: 1_000,
    limit: 0,
  },
  {
    text: "an edited filter until it is seen, p50 ≤ 50 ms",
    row: { workload: "W7", figure: "p50Ms", format: ms },
    routes: 1_000,
    limit: 50,
  },
  {
    text: "new routes while others change, p95 ≤ 1 s",
    row: { workload: "W5", figure: "p95Ms", format: ms },
    routes: 1_000,
    limit: 1_000,
  },
  { text: "cold start ≤ 4 s", row: { workload: "W10", figure: "coldStartMs", format: ms }, routes: most, limit: 4_000 },
  {
    text: "status writes by a restart: none",
    row: { workload: "W10", figure: "restartStatusWrites", format: count },
    routes: most,
    limit: 0,
  },
  {
    text: "memory at its peak ≤ 350 MiB",
    row: { workload: "W12", figure: "sidePeakMiB", format: mebibytes },
    routes: most,
    limit: 350,
  },
  {
    text: "idle: CPU ≤ 1 ms a second",
    row: { workload: "W12", figure: "cpuMsPerSecond", format: ms },
    routes: most,
    limit: 1,
  },
];

export function formatTargets(source: FigureSource): string {
  const lines = targets.flatMap(({ text, row, routes, limit }) => {
    const value = figure(source, row, "ours", routes);
    const allowed = typeof limit === "number" ? limit : limit(source);
    if (value === undefined || allowed === undefined) return [];
    const isMet = value <= allowed;
    const against = typeof limit === "number" ? "" : `, limit ${row.format(allowed)}`;
    return [[text, routes.toLocaleString("en"), `${row.format(value)}${against}`, isMet ? "yes" : "**no**"]];
  });
  return table(["target", "routes", "measured", "stands"], lines, 1);
}

/** Where, when, of what, and how quiet it was. */
export function formatCircumstances(results: readonly Results[]): string {
  return results
    .map(({ machine, cells }) => {
      const { processor, cores, memoryGiB, linux, date, versions, command } = machine;
      const rounds = new Set(cells.map(({ round }) => round)).size;
      const disturbed = cells.filter(({ foreignShare }) => foreignShare > mostForeign);
      const failed = cells.filter(({ failure }) => failure !== undefined);
      const minutes = Math.round(cells.reduce((sum, { seconds }) => sum + seconds, 0) / 60);
      const shares = cells.map(({ foreignShare }) => 100 * foreignShare);
      return [
        `Run on ${date.slice(0, 10)}: ${rounds} ${rounds === 1 ? "round" : "rounds"}, ${minutes} minutes, on ${cores} cores (${processor}), ${memoryGiB} GiB, Linux ${linux}.`,
        `Versions: ${Object.entries(versions)
          .map(([name, version]) => `${labels[name as SideName] ?? name} ${version}`)
          .join(", ")}.`,
        `Others had ${Math.min(...shares).toFixed(0)} to ${Math.max(...shares).toFixed(0)} % of the processors.`,
        disturbed.length === 0
          ? ""
          : `**${disturbed.length} of ${cells.length} measurements were disturbed** by other work (more than ${100 * mostForeign} % of the processors) each time they were tried: ${listOf(disturbed)}.`,
        failed.length === 0
          ? ""
          : `**Not measured to the end**: ${failed.map((cell) => `${nameOf(cell)}: ${cell.failure?.split("\n")[0] ?? ""}`).join("; ")}.`,
        `Command: \`${command}\``,
      ]
        .filter((line) => line !== "")
        .join("\n");
    })
    .join("\n\n");
}

/** What has no figures because a side does not do it. */
export function formatLeft(results: readonly Results[]): string {
  const cells = results.flatMap((one) => one.cells);
  const lines = cells.flatMap(({ side, routes, left }) =>
    Object.entries(left).map(([workload, reason]) => ({ key: `${labels[side]}, ${workload}: ${reason}`, routes })),
  );
  return [...Map.groupBy(lines, ({ key }) => key)]
    .map(([key, all]) => {
      const counts = [...new Set(all.map(({ routes }) => routes))].toSorted((a, b) => a - b);
      return `- ${key} (with ${counts.map((routes) => routes.toLocaleString("en")).join(", ")} routes)`;
    })
    .join("\n");
}

const nameOf = ({ side, routes, round }: Results["cells"][number]) =>
  `${labels[side]} with ${routesText(routes)} in round ${round}`;

const listOf = (cells: Results["cells"]): string =>
  cells.length > 12 ? "too many to name" : cells.map(nameOf).join(", ");
