// A line chart with logarithmic axes as SVG, readable on light and on dark ground.

export type Series = {
  readonly name: string;
  readonly color: string;
  readonly isDashed?: boolean;
  readonly points: readonly { readonly x: number; readonly y: number; readonly low: number; readonly high: number }[];
};

export type ChartOptions = {
  readonly title: string;
  readonly xLabel: string;
  readonly series: readonly Series[];
  /** How a value of the y axis is written. */
  readonly format: (value: number) => string;
};

const width = 720;
const height = 400;
const plot = { left: 84, right: 150, top: 52, bottom: 52 } as const;

export function chartSvg({ title, xLabel, series, format }: ChartOptions): string {
  const points = series.flatMap((one) => one.points);
  const xs = [...new Set(points.map(({ x }) => x))].toSorted((a, b) => a - b);
  const yTicks = decades(Math.min(...points.map(({ low }) => low)), Math.max(...points.map(({ high }) => high)));
  const xAt = scale(xs[0] ?? 1, xs.at(-1) ?? 10, plot.left, width - plot.right);
  const yAt = scale(yTicks[0] ?? 1, yTicks.at(-1) ?? 10, height - plot.bottom, plot.top);
  const right = width - plot.right;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="system-ui, sans-serif" font-size="12">`,
    `<title>${escapeXml(title)}</title>`,
    "<style>.text{fill:#24292f}.grid{stroke:#d0d7de}.ground{fill:#fff}@media(prefers-color-scheme:dark){.text{fill:#e6edf3}.grid{stroke:#30363d}.ground{fill:#0d1117}}</style>",
    `<rect class="ground" width="${width}" height="${height}" rx="6"/>`,
    text(title, plot.left, 28, 'font-size="15" font-weight="600"'),
    ...yTicks.flatMap((tick) => [
      `<line class="grid" x1="${plot.left}" x2="${right}" y1="${yAt(tick)}" y2="${yAt(tick)}"/>`,
      text(format(tick), plot.left - 10, yAt(tick) + 4, 'text-anchor="end"'),
    ]),
    ...xs.map((x) => text(x.toLocaleString("en"), xAt(x), height - plot.bottom + 20, 'text-anchor="middle"')),
    text(xLabel, (plot.left + right) / 2, height - 12, 'text-anchor="middle"'),
    ...series.flatMap((one) => line(one, xAt, yAt)),
    ...names(series, yAt).map(({ name, color, y }) =>
      text(name, right + 12, y + 4, `style="fill:${color}" font-weight="600"`),
    ),
    "</svg>",
    "",
  ].join("\n");
}

function line(
  { points, color, isDashed = false }: Series,
  xAt: (x: number) => number,
  yAt: (y: number) => number,
): readonly string[] {
  const path = points.map(({ x, y }, at) => `${at === 0 ? "M" : "L"}${xAt(x)} ${yAt(y)}`).join("");
  return [
    `<path d="${path}" fill="none" stroke="${color}" stroke-width="2.5"${isDashed ? ' stroke-dasharray="6 5"' : ""}/>`,
    ...points.flatMap(({ x, y, low, high }) => [
      `<line x1="${xAt(x)}" x2="${xAt(x)}" y1="${yAt(low)}" y2="${yAt(high)}" stroke="${color}" stroke-width="1.5"/>`,
      `<circle cx="${xAt(x)}" cy="${yAt(y)}" r="3.5" fill="${color}"/>`,
    ]),
  ];
}

/** Names stand at the ends of their lines, and not on each other. */
function names(series: readonly Series[], yAt: (y: number) => number) {
  const placed = series
    .map(({ name, color, points }) => ({ name, color, y: yAt(points.at(-1)?.y ?? 1) }))
    .toSorted((a, b) => a.y - b.y);
  let last = 0;
  return placed.map((one) => {
    last = Math.max(one.y, last + 16);
    return { ...one, y: last };
  });
}

/** Powers of ten that enclose the range. */
function decades(low: number, high: number): readonly number[] {
  const first = Math.floor(Math.log10(low));
  const last = Math.max(first + 1, Math.ceil(Math.log10(high)));
  return Array.from({ length: last - first + 1 }, (_, at) => 10 ** (first + at));
}

function scale(low: number, high: number, from: number, to: number): (value: number) => number {
  const span = Math.log10(high) - Math.log10(low) || 1;
  return (value) => Math.round((from + ((Math.log10(value) - Math.log10(low)) / span) * (to - from)) * 10) / 10;
}

const text = (content: string, x: number, y: number, more = ""): string =>
  `<text class="text" x="${x}" y="${y}" ${more}>${escapeXml(content)}</text>`;

const escapeXml = (content: string): string =>
  content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
