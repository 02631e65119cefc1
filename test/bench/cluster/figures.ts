// How what was measured is written down: figures by name.
import type { Spread } from "../statistics.ts";
import type { Cost } from "./session.ts";
import type { Figures } from "./workload.ts";

export const spreadFigures = ({ p50, p95, max }: Spread): Figures => ({ p50Ms: p50, p95Ms: p95, maxMs: max });

export const costFigures = (cost: Cost): Figures => ({
  sideCpuMs: cost.sideCpuMs,
  envoyCpuMs: cost.envoyCpuMs,
  apiServerCpuMs: cost.apiServerCpuMs,
  etcdCpuMs: cost.etcdCpuMs,
  bytes: cost.bytes,
  routeStatusWrites: cost.routeStatusWrites,
  gatewayStatusWrites: gatewayWrites(cost),
  ...(cost.computations !== undefined && { computations: cost.computations }),
  ...(cost.resources !== undefined && { resources: cost.resources }),
});

const gatewayWrites = ({ writes }: Cost): number =>
  Object.entries(writes).reduce((sum, [key, count]) => (key.endsWith(" gateways/status") ? sum + count : sum), 0);

export const perChange = (cost: Cost, changes: number): Figures =>
  Object.fromEntries(Object.entries(costFigures(cost)).map(([name, value]) => [name, value / changes]));

export const prefixed = (prefix: string, figures: Figures): Figures =>
  Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [`${prefix}${name[0]?.toUpperCase() ?? ""}${name.slice(1)}`, value]),
  );
