import assert from "node:assert/strict";
import type { Cell } from "./cell.ts";
import { chartSvg } from "./chart.ts";
import { fillParts } from "./report.ts";
import { createFigureSource } from "./report-figures.ts";
import { ms } from "./report-rows.ts";
import { formatBetter, formatCircumstances, formatExponents, formatGrowth } from "./report-tables.ts";
import type { Results } from "./results.ts";
import type { SideName } from "./sides/side.ts";

const measured = (side: SideName, round: number, routes: number, sideCpuMs: number): Cell => ({
  side,
  version: "1",
  round,
  routes,
  date: "",
  seconds: 60,
  loadAtBegin: 0,
  foreignShare: 0.02,
  outcomes: [{ workload: "W2 new route", figures: { sideCpuMs } }],
  left: {},
});

const resultsOf = (cells: readonly Cell[]): Results => ({
  machine: {
    processor: "a processor",
    cores: 2,
    memoryGiB: 8,
    linux: "6",
    date: "2026-01-02T00:00:00Z",
    command: "command",
    versions: { ours: "1" },
  },
  cells,
});

const source = createFigureSource([
  resultsOf([
    ...[4, 5, 6].map((value, at) => measured("ours", at + 1, 100, value)),
    ...[4, 5, 6].map((value, at) => measured("ours", at + 1, 10_000, value)),
    ...[2, 3, 3.5].map((value, at) => measured("envoy-gateway", at + 1, 100, value)),
    ...[200, 300, 350].map((value, at) => measured("envoy-gateway", at + 1, 10_000, value)),
  ]),
]);

describe("the report", () => {
  it("has the median of the rounds, and from where to where they went", () => {
    assert.match(formatGrowth(source), /\| control plane CPU \| Gatewright \| 5\.0 ms \(4\.0 – 6\.0\) \| 5\.0 ms/);
  });

  it("says by which power a cost grows", () => {
    assert.match(formatExponents(source), /\| 0\.00 \| 1\.00 \|/);
  });

  it("names each figure that is better for the peer, and no other", () => {
    const text = formatBetter(source);
    assert.match(text, /control plane CPU: 3\.0 ms against 5\.0 ms with 100 routes$/m);
    assert.doesNotMatch(text, /10,000/);
  });

  it("says where it was disturbed", () => {
    const disturbed = { ...measured("ours", 1, 100, 1), foreignShare: 0.4 };
    assert.match(
      formatCircumstances([resultsOf([disturbed])]),
      /1 of 1 measurements were disturbed.*Gatewright with 100 routes in round 1/,
    );
    assert.doesNotMatch(formatCircumstances([resultsOf([measured("ours", 1, 100, 1)])]), /disturbed/);
  });

  it("replaces what is between the marks of a page, and nothing else", () => {
    const page = "# Mine\n<!-- written by the benchmark: a -->\nold\n<!-- end -->\nmine too\n";
    assert.equal(fillParts(page, { a: "new" }), page.replace("old", "new"));
    assert.throws(() => fillParts(page, { b: "new" }), /has no part .*benchmark: b/);
  });
});

describe("a chart", () => {
  const series = (name: string, ys: readonly number[]) => ({
    name,
    color: "#000",
    points: ys.map((y, at) => ({ x: 10 ** at, y, low: y * 0.9, high: y * 1.1 })),
  });

  it("has no text on another, even where lines end at one place", () => {
    const svg = chartSvg({
      title: "title",
      xLabel: "routes",
      format: ms,
      series: [series("one", [1, 10, 100]), series("two", [2, 20, 100]), series("three", [3, 30, 101])],
    });
    const texts = [...svg.matchAll(/<text class="\w+" x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]*)</g)].map(
      ([, x = "", y = "", content = ""]) => ({ x: Number(x), y: Number(y), content }),
    );
    const ends = texts.filter(({ x }) => x > 650);
    assert.equal(ends.length, 3);
    for (const [at, one] of texts.entries())
      for (const other of texts.slice(at + 1))
        assert.ok(
          Math.abs(one.y - other.y) >= 12 || Math.abs(one.x - other.x) >= 12,
          `${one.content} and ${other.content}`,
        );
  });

  it("draws what is equal everywhere", () => {
    const svg = chartSvg({ title: "title", xLabel: "routes", format: ms, series: [series("one", [5])] });
    assert.doesNotMatch(svg, /NaN|Infinity/);
  });
});
