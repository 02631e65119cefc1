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
  /** How a value of the y axis is written, with its unit. */
  readonly format: (value: number) => string;
};

const width = 760;
const height = 420;
const plot = { left: 88, right: 104, top: 84, bottom: 60 } as const;
const right = width - plot.right;
const bottom = height - plot.bottom;
/** Between the middles of two lines of text that do not touch. */
const lineHeight = 17;

const style = [
  ".text{fill:#1f2328}.quiet{fill:#59636e}.grid{stroke:#d1d9e0}.minor{stroke:#eff2f5}.ground{fill:#fff}.halo{stroke:#fff}",
  "@media(prefers-color-scheme:dark){.text{fill:#f0f6fc}.quiet{fill:#9198a1}.grid{stroke:#3d444d}.minor{stroke:#212830}",
  ".ground{fill:#0d1117}.halo{stroke:#0d1117}}",
].join("");

export function chartSvg({ title, xLabel, series, format }: ChartOptions): string {
  const points = series.flatMap((one) => one.points);
  const xs = [...new Set(points.map(({ x }) => x))].toSorted((a, b) => a - b);
  const ys = ticks(Math.min(...points.map(({ low }) => low)), Math.max(...points.map(({ high }) => high)));
  const xAt = scale(xs[0] ?? 1, xs.at(-1) ?? 10, plot.left + 16, right - 16);
  const yAt = scale(ys.low, ys.high, bottom, plot.top);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="system-ui, 'Segoe UI', Helvetica, Arial, sans-serif" font-size="12.5">`,
    `<title>${escapeXml(title)}</title>`,
    `<style>${style}</style>`,
    `<rect class="ground" width="${width}" height="${height}" rx="8"/>`,
    text(title, 24, 32, 'font-size="16" font-weight="600"'),
    ...legend(series),
    ...ys.minor.map((tick) => horizontal("minor", yAt(tick))),
    ...ys.major.flatMap((tick) => [
      horizontal("grid", yAt(tick)),
      text(format(tick), plot.left - 10, yAt(tick) + 4, 'text-anchor="end"', "quiet"),
    ]),
    ...apart(xs, xAt).map((x) => text(x.toLocaleString("en"), xAt(x), bottom + 22, 'text-anchor="middle"', "quiet")),
    ...xs.map((x) => `<line class="grid" x1="${xAt(x)}" x2="${xAt(x)}" y1="${bottom}" y2="${bottom + 5}"/>`),
    text(`${xLabel}, both axes logarithmic`, (plot.left + right) / 2, height - 14, 'text-anchor="middle"', "quiet"),
    ...series.flatMap((one) => line(one, xAt, yAt)),
    ...lastValues(series, yAt, format).map(({ label, color, y }) =>
      text(label, right - 2, y + 4, `style="fill:${color}" font-weight="600"`),
    ),
    "</svg>",
    "",
  ].join("\n");
}

const horizontal = (name: string, y: number): string =>
  `<line class="${name}" x1="${plot.left}" x2="${right - 8}" y1="${y}" y2="${y}"/>`;

/** A sample of each line beside its name, in a row. */
function legend(series: readonly Series[]): readonly string[] {
  let x = 24;
  return series.flatMap(({ name, color, isDashed = false }) => {
    const at = x;
    x += 34 + 7.2 * name.length + 26;
    return [
      `<path d="M${at} 56h26" stroke="${color}" stroke-width="2.5" fill="none"${dashes(isDashed)}/>`,
      `<circle cx="${at + 13}" cy="56" r="3.5" fill="${color}"/>`,
      text(name, at + 34, 60),
    ];
  });
}

const dashes = (isDashed: boolean): string => (isDashed ? ' stroke-dasharray="6 5"' : "");

function line(
  { points, color, isDashed = false }: Series,
  xAt: (x: number) => number,
  yAt: (y: number) => number,
): readonly string[] {
  const path = points.map(({ x, y }, at) => `${at === 0 ? "M" : "L"}${xAt(x)} ${yAt(y)}`).join("");
  return [
    `<path d="${path}" fill="none" stroke="${color}" stroke-width="2.5" stroke-linejoin="round"${dashes(isDashed)}/>`,
    ...points.flatMap(({ x, y, low, high }) => [
      `<path d="M${xAt(x) - 4} ${yAt(low)}h8m-4 0V${yAt(high)}m-4 0h8" fill="none" stroke="${color}" stroke-width="1.25"/>`,
      `<circle class="halo" cx="${xAt(x)}" cy="${yAt(y)}" r="4" fill="${color}" stroke-width="1.5"/>`,
    ]),
  ];
}

/** Values at the ends of the lines, and none on another: they give way up and down alike. */
function lastValues(series: readonly Series[], yAt: (y: number) => number, format: (value: number) => string) {
  const placed = series
    .flatMap(({ color, points }) => {
      const last = points.at(-1);
      return last === undefined ? [] : [{ label: format(last.y), color, y: yAt(last.y) }];
    })
    .toSorted((a, b) => a.y - b.y);
  for (let round = 0; round < 50; round++)
    for (const [at, one] of placed.entries()) {
      const before = placed[at - 1];
      if (before === undefined || one.y - before.y >= lineHeight) continue;
      const missing = lineHeight - (one.y - before.y);
      before.y -= missing / 2;
      one.y += missing / 2;
    }
  return placed.map((one) => ({ ...one, y: Math.round(one.y * 10) / 10 }));
}

/** Of the numbers of routes, those whose names do not touch; the ends are among them. */
function apart(xs: readonly number[], xAt: (x: number) => number): readonly number[] {
  const kept: number[] = [];
  for (const x of xs.toReversed()) {
    const next = kept.at(-1);
    if (next === undefined || xAt(next) - xAt(x) >= 44) kept.push(x);
  }
  return kept.toReversed();
}

/** Powers of ten, and where these are few also what is between, that enclose the range closely. */
function ticks(low: number, high: number) {
  const steps = [1, 2, 5];
  const all: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++)
    for (const step of steps) all.push(step * 10 ** power);
  const first = Math.max(
    0,
    all.findLastIndex((tick) => tick <= low),
  );
  const last = all.findIndex((tick) => tick >= high);
  const used = all.slice(first, (last < 0 ? all.length - 1 : last) + 1);
  const isPower = (tick: number) => Math.abs(Math.log10(tick) - Math.round(Math.log10(tick))) < 1e-9;
  const powers = used.filter(isPower);
  const major = used.length <= 8 ? used : powers;
  return {
    low: used[0] ?? 1,
    high: Math.max(used.at(-1) ?? 10, (used[0] ?? 1) * 2),
    major,
    minor: used.filter((tick) => !major.includes(tick)),
  };
}

function scale(low: number, high: number, from: number, to: number): (value: number) => number {
  const span = Math.log10(high) - Math.log10(low) || 1;
  return (value) => Math.round((from + ((Math.log10(value) - Math.log10(low)) / span) * (to - from)) * 10) / 10;
}

const text = (content: string, x: number, y: number, more = "", name = "text"): string =>
  `<text class="${name}" x="${x}" y="${y}"${more === "" ? "" : ` ${more}`}>${escapeXml(content)}</text>`;

const escapeXml = (content: string): string =>
  content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
