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

/** A set of metrics, with those of the Node process in it. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return {
    define: ({ name, help, kind, labels = [], read }) => {
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
    },
    histogram: (name, help, buckets) => {
      const histogram = new Histogram({ name, help, buckets: [...buckets], registers: [registry] });
      return (seconds) => histogram.observe(seconds);
    },
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}
