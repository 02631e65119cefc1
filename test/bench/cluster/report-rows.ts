// Which figures are shown, how they are called, and how they are written.
import type { SideName } from "./sides/side.ts";

export type Row = {
  readonly title: string;
  readonly workload: string;
  readonly figure: string;
  readonly format: (value: number) => string;
  /** File of a chart over the number of routes. Left out: only in the table. */
  readonly chart?: { readonly file: string; readonly title: string };
  /** Said of the figure in the table of growth. */
  readonly isGrowth?: true;
};

export type Group = { readonly title: string; readonly rows: readonly Row[] };

export const ms = (value: number): string =>
  value >= 1000 ? `${Number((value / 1000).toPrecision(3))} s` : `${value.toFixed(value < 10 && value > 0 ? 1 : 0)} ms`;
export const bytes = (value: number): string =>
  value >= 1e6
    ? `${(value / 1e6).toFixed(2)} MB`
    : value >= 1e4
      ? `${(value / 1e3).toFixed(0)} kB`
      : `${Math.round(value)} B`;
export const mebibytes = (value: number): string => `${Math.round(value)} MiB`;
export const count = (value: number): string => String(Math.round(value * 100) / 100);
const perHour = (value: number): string => `${value.toFixed(1)} MiB/h`;

const seen = (workload: string): readonly Row[] => [
  { title: "until seen, p50", workload, figure: "p50Ms", format: ms },
  { title: "until seen, p95", workload, figure: "p95Ms", format: ms },
];

const costs = (workload: string): readonly Row[] => [
  { title: "control plane CPU", workload, figure: "sideCpuMs", format: ms, isGrowth: true },
  { title: "Envoy CPU", workload, figure: "envoyCpuMs", format: ms },
  { title: "bytes to Envoy", workload, figure: "bytes", format: bytes, isGrowth: true },
];

const wrong = (workload: string, title: string): Row => ({ title, workload, figure: "wrong", format: count });

const charted = (rows: readonly Row[], charts: Readonly<Record<string, NonNullable<Row["chart"]>>>): readonly Row[] =>
  rows.map((row) => {
    const chart = charts[row.figure];
    return chart === undefined ? row : { ...row, chart };
  });

/** At every number of routes. */
export const growthGroups: readonly Group[] = [
  {
    title: "A new route, until the first 200",
    rows: charted(
      [...seen("W2 new route"), ...costs("W2 new route"), wrong("W2 new route", "answers other than 404 and 200")],
      {
        p50Ms: { file: "new-route", title: "A new route until its first 200, p50" },
        sideCpuMs: { file: "new-route-cpu", title: "CPU of the control plane for a new route" },
        bytes: { file: "new-route-bytes", title: "Bytes to Envoy for a new route" },
      },
    ),
  },
  {
    title: "A changed route",
    rows: charted([...seen("W2 changed route"), ...costs("W2 changed route")], {
      sideCpuMs: { file: "changed-route-cpu", title: "CPU of the control plane for a changed route" },
    }),
  },
  {
    title: "Endpoints that change",
    rows: charted([...seen("W4"), ...costs("W4"), wrong("W4", "answers other than 200")], {
      p50Ms: { file: "endpoint-change", title: "An endpoint change until it is seen, p50" },
    }),
  },
  {
    title: "All routes loaded, eight at a time",
    rows: [
      {
        title: "all statuses after the last create",
        workload: "W1",
        figure: "statusesMs",
        format: ms,
      },
      { title: "the last route answers", workload: "W1", figure: "lastRouteMs", format: ms },
      { title: "control plane CPU", workload: "W1", figure: "sideCpuMs", format: ms },
      { title: "API server CPU", workload: "W1", figure: "apiServerCpuMs", format: ms },
      { title: "status writes a route", workload: "W1", figure: "statusWritesPerRoute", format: count },
    ],
  },
  {
    title: "Start with all routes there",
    rows: [
      {
        title: "cold, until the last route answers",
        workload: "W10",
        figure: "coldStartMs",
        format: ms,
        chart: { file: "cold-start", title: "Control plane and Envoy start anew: until the last route answers" },
      },
      { title: "control plane CPU", workload: "W10", figure: "coldCpuMs", format: ms },
      { title: "memory at its peak", workload: "W10", figure: "coldPeakMiB", format: mebibytes },
      {
        title: "restart beside an Envoy that has all: bytes to it",
        workload: "W10",
        figure: "restartBytes",
        format: bytes,
      },
      { title: "… status writes", workload: "W10", figure: "restartStatusWrites", format: count },
    ],
  },
  {
    title: "Nothing happens",
    rows: [
      {
        title: "memory at its peak, after load and changes",
        workload: "W12",
        figure: "sidePeakMiB",
        format: mebibytes,
        chart: { file: "memory", title: "Memory of the control plane at its peak, after load and changes" },
      },
      { title: "memory now", workload: "W12", figure: "sideMiB", format: mebibytes },
      { title: "Envoy's memory", workload: "W12", figure: "envoyMiB", format: mebibytes },
      { title: "CPU a second", workload: "W12", figure: "cpuMsPerSecond", format: ms },
    ],
  },
];

/** At one number of routes, or few. */
export const otherGroups: readonly Group[] = [
  {
    title: "A route's backend, then the order of its rules, while 500 requests a second go through it",
    rows: [wrong("W3", "answers other than 200"), ...costs("W3")],
  },
  {
    title: "Ten routes changed a second, and a new one in between, until its first 200",
    rows: [...seen("W5"), wrong("W5", "answers other than 404 and 200"), ...costs("W5")],
  },
  {
    title: "A listener's certificate rotates, until a handshake shows it",
    rows: [
      ...seen("W6 certificate"),
      ...costs("W6 certificate"),
      { title: "listeners changed, which drains", workload: "W6 certificate", figure: "listeners", format: count },
    ],
  },
  {
    title: "Another authority for a backend, in a ConfigMap",
    rows: [...seen("W6 authority"), ...costs("W6 authority")],
  },
  {
    title: "Another authority for a backend, in a ClusterTrustBundle",
    rows: [...seen("W6 trust bundle"), ...costs("W6 trust bundle")],
  },
  {
    title: "A filter of Envoy's that a route names is edited",
    rows: [
      ...seen("W7"),
      ...costs("W7"),
      { title: "listeners changed, which drains", workload: "W7", figure: "listeners", format: count },
    ],
  },
  {
    title: "New routes beside one whose filter the checks of the implementation refuse",
    rows: [
      ...seen("W8 checked"),
      ...costs("W8 checked"),
      { title: "resources that Envoy refused", workload: "W8 checked", figure: "refused", format: count },
    ],
  },
  {
    title: "All routes go",
    rows: [
      { title: "the last answers 404", workload: "W11", figure: "goneMs", format: ms },
      { title: "none is attached any more", workload: "W11", figure: "detachedMs", format: ms },
      { title: "control plane CPU", workload: "W11", figure: "sideCpuMs", format: ms },
      { title: "memory afterwards", workload: "W11", figure: "sideMiB", format: mebibytes },
    ],
  },
  {
    title: "The soak: ten routes and ten endpoints changed a second",
    rows: [
      { title: "minutes", workload: "W13", figure: "minutes", format: count },
      { title: "control plane CPU a second", workload: "W13", figure: "cpuMsPerSecond", format: ms },
      { title: "live heap grows by", workload: "W13", figure: "heapMiBPerHour", format: perHour },
      { title: "… noise of that", workload: "W13", figure: "heapMiBPerHourNoise", format: perHour },
      { title: "memory grows by", workload: "W13", figure: "residentMiBPerHour", format: perHour },
      { title: "… noise of that", workload: "W13", figure: "residentMiBPerHourNoise", format: perHour },
      { title: "Envoy's memory grows by", workload: "W13", figure: "envoyMiBPerHour", format: perHour },
    ],
  },
];

export const labels: Readonly<Record<SideName, string>> = {
  ours: "Gatewright",
  "envoy-gateway": "Envoy Gateway",
  "envoy-gateway-qps-500": "Envoy Gateway, qps 500",
  null: "floor",
};

export const colors: Readonly<Record<SideName, string>> = {
  ours: "#1f77d0",
  "envoy-gateway": "#d9720a",
  "envoy-gateway-qps-500": "#b88217",
  null: "#7d8590",
};
