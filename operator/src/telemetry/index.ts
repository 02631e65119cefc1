export { type Endpoints, serveHealth, serveMetrics } from "./endpoints.ts";
export { type HealthCheck } from "./health.ts";
export { createMetrics, type MetricDefinition, type Metrics, type Sample } from "./metrics.ts";
