import { performance } from "node:perf_hooks";
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

export type Sample = { readonly labels?: Readonly<Record<string, string>>; readonly value: number };

/** A metric that is read when somebody asks: what counts keeps counting where it is, and knows nothing of Prometheus. */
export type MetricDefinition = {
  /** By the conventions of Prometheus: unit at the end, `_total` for counters. https://prometheus.io/docs/practices/naming/ */
  readonly name: string;
  readonly help: string;
  readonly kind: "counter" | "gauge";
  readonly labels?: readonly string[];
  readonly read: () => readonly Sample[];
};

export type Metrics = {
  readonly define: (definition: MetricDefinition) => void;
  /** Of durations in seconds; returns how to tell one. */
  readonly histogram: (name: string, help: string, buckets: readonly number[]) => (seconds: number) => void;
  readonly contentType: string;
  /** All of it, in Prometheus' text format. */
  readonly text: () => Promise<string>;
};

/**
 * To watch for delays of the event loop, prom-client wakes it a hundred times a second: that is most of what an idle operator would do.
 * What the loop counts by itself says as much on average.
 */
const maxTimerMs = 2 ** 31 - 1;

const eventLoop: readonly MetricDefinition[] = [
  {
    name: "nodejs_eventloop_busy_seconds_total",
    help: "Time that the event loop was not waiting for anything.",
    kind: "counter",
    read: () => [{ value: performance.eventLoopUtilization().active / 1_000 }],
  },
  {
    name: "nodejs_eventloop_turns_total",
    help: "Turns of the event loop: busy time by turns is how long others wait for one, on average.",
    kind: "counter",
    read: () => [{ value: performance.nodeTiming.uvMetricsInfo.loopCount }],
  },
];

/** A set of metrics, with those of the Node process in it. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: maxTimerMs });
  for (const { name } of registry.getMetricsAsArray())
    if (name.startsWith("nodejs_eventloop_lag_")) registry.removeSingleMetric(name);
  function define({ name, help, kind, labels = [], read }: MetricDefinition): void {
    const common = { name, help, labelNames: labels, registers: [] };
    const metric =
      kind === "gauge"
        ? new Gauge({
            ...common,
            collect() {
              this.reset();
              for (const sample of read()) this.set(sample.labels ?? {}, sample.value);
            },
          })
        : new Counter({
            ...common,
            collect() {
              this.reset();
              for (const sample of read()) this.inc(sample.labels ?? {}, sample.value);
            },
          });
    registry.registerMetric(metric);
  }
  for (const definition of eventLoop) define(definition);
  return {
    define,
    histogram: (name, help, buckets) => {
      const histogram = new Histogram({ name, help, buckets: [...buckets], registers: [registry] });
      return (seconds) => histogram.observe(seconds);
    },
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}
