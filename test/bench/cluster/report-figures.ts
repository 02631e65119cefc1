// Figures of runs, found again by what they are of.
import type { Row } from "./report-rows.ts";
import type { Results } from "./results.ts";
import { type SideName, sideNames } from "./sides/side.ts";
import { exponentOf } from "./slope.ts";

export type Spread = { readonly median: number; readonly low: number; readonly high: number; readonly count: number };

export type FigureSource = {
  /** Those that were measured, in the order of their names' list. */
  readonly sides: readonly SideName[];
  /** Numbers of routes, ascending. */
  readonly counts: readonly number[];
  /** Over the rounds. */
  readonly at: (row: Row, side: SideName, routes: number) => Spread | undefined;
  /** By which power of the number of routes the figure grows, from 100 on; over the rounds. */
  readonly exponent: (row: Row, side: SideName) => Spread | undefined;
};

/** Below it, what a change costs is not that of the number of routes. */
const exponentFrom = 100;

export function createFigureSource(results: readonly Results[]): FigureSource {
  const cells = results.flatMap((one) => one.cells);
  const values = ({ workload, figure }: Row, side: SideName, routes: number) =>
    cells.flatMap((cell) => {
      if (cell.side !== side || cell.routes !== routes) return [];
      return cell.outcomes.flatMap((outcome) => {
        if (outcome.workload !== workload) return [];
        const { figures } = outcome;
        const writes = (figures["routeStatusWrites"] ?? Number.NaN) / (figures["routes"] ?? Number.NaN);
        const value = figure === "statusWritesPerRoute" ? writes : figures[figure];
        return value === undefined || !Number.isFinite(value) ? [] : [{ round: cell.round, value }];
      });
    });
  const counts = [...new Set(cells.map(({ routes }) => routes))].toSorted((a, b) => a - b);
  const rounds = [...new Set(cells.map(({ round: number }) => number))];
  return {
    sides: sideNames.filter((side) => cells.some((cell) => cell.side === side)),
    counts,
    at: (row, side, routes) => spreadOf(values(row, side, routes).map(({ value }) => value)),
    exponent: (row, side) =>
      spreadOf(
        rounds.flatMap((number) => {
          const points = counts.flatMap((routes) =>
            values(row, side, routes)
              .filter((one) => one.round === number && routes >= exponentFrom)
              .map(({ value }) => ({ x: routes, y: value })),
          );
          const exponent = points.length < 2 ? undefined : exponentOf(points);
          return exponent === undefined ? [] : [exponent];
        }),
      ),
  };
}

function spreadOf(values: readonly number[]): Spread | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[0], sorted.at(-1)];
  if (low === undefined || high === undefined) return undefined;
  return { median: sorted[Math.floor((sorted.length - 1) / 2)] ?? low, low, high, count: sorted.length };
}

/** `26 ms (24 – 29)`, the median and from where to where the rounds went. */
export function formatSpread(spread: Spread | undefined, format: (value: number) => string): string {
  if (spread === undefined) return "";
  const [median, low, high] = [format(spread.median), format(spread.low), format(spread.high)];
  if (low === high) return median;
  const unit = /[^\d.]*$/.exec(median)?.[0] ?? "";
  const isShared = [low, high].every((text) => unit !== "" && /[^\d.]*$/.exec(text)?.[0] === unit);
  const short = (text: string) => (isShared ? text.slice(0, -unit.length) : text);
  return `${median} (${short(low)} – ${short(high)})`;
}

export const formatExponent = (value: number): string => value.toFixed(2).replace("-0.00", "0.00");
