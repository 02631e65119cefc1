// docs/performance from the results of runs: charts, figures, and what is generated of its page.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { chartSvg, type Series } from "./chart.ts";
import { createFigureSource, type FigureSource } from "./report-figures.ts";
import { colors, growthGroups, labels, type Row } from "./report-rows.ts";
import {
  formatBetter,
  formatCircumstances,
  formatExponents,
  formatGrowth,
  formatLeft,
  formatOthers,
  formatTargets,
} from "./report-tables.ts";
import type { Results } from "./results.ts";
import type { SideName } from "./sides/side.ts";

/** Writes charts and results, and the parts between marks of the folder's README.md; all else in it is left as it is. */
export async function writeReport(folder: string, results: readonly Results[]): Promise<void> {
  const source = createFigureSource(results);
  const made = charts(source);
  await mkdir(folder, { recursive: true });
  for (const { file, svg } of made) await writeFile(path.join(folder, file), svg);
  await writeFile(path.join(folder, "results.json"), `${JSON.stringify(results, undefined, 1)}\n`);
  const page = path.join(folder, "README.md");
  const parts: Readonly<Record<string, string>> = {
    charts: made.map(({ title, file }) => `![${title}](${file})`).join("\n"),
    circumstances: formatCircumstances(results),
    figures: [formatGrowth(source), formatOthers(source), formatLeft(results)]
      .filter((text) => text !== "")
      .join("\n\n"),
    growth: formatExponents(source),
    targets: formatTargets(source),
    better: formatBetter(source),
  };
  const before = await readFile(page, "utf8").catch(() => "");
  const marked =
    before === ""
      ? Object.keys(parts)
          .map((name) => `${beginOf(name)}\n${end}\n`)
          .join("\n")
      : before;
  await writeFile(page, fillParts(marked, parts));
}

const beginOf = (name: string): string => `<!-- written by the benchmark: ${name} -->`;
const end = "<!-- end -->";

/** Replaces what stands between the marks of each part. Fails where a page lacks one, so that nothing is lost in silence. */
export function fillParts(page: string, parts: Readonly<Record<string, string>>): string {
  let filled = page;
  for (const [name, content] of Object.entries(parts)) {
    const from = filled.indexOf(beginOf(name));
    const to = filled.indexOf(end, from);
    if (from < 0 || to < 0) throw new Error(`the page has no part ${beginOf(name)} … ${end}`);
    filled = `${filled.slice(0, from + beginOf(name).length)}\n${content}\n${filled.slice(to)}`;
  }
  return filled;
}

function charts(source: FigureSource) {
  return growthGroups.flatMap(({ rows }) =>
    rows.flatMap((row) => {
      const series = source.sides.flatMap((side) => seriesOf(source, row, side));
      if (row.chart === undefined || series.length === 0) return [];
      const { file, title } = row.chart;
      const svg = chartSvg({ title, xLabel: "number of routes", series, format: row.format });
      return [{ title, file: `${file}.svg`, svg }];
    }),
  );
}

function seriesOf(source: FigureSource, row: Row, side: SideName): readonly Series[] {
  const points = source.counts.flatMap((routes) => {
    const spread = source.at(row, side, routes);
    return spread === undefined || spread.low <= 0 ? [] : [{ x: routes, y: spread.median, ...spread }];
  });
  return points.length === 0 ? [] : [{ name: labels[side], color: colors[side], isDashed: side === "null", points }];
}
