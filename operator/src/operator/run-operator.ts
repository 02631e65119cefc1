import { ClusterError } from "../kubernetes/index.ts";
import {
  createMetrics,
  type Endpoints,
  type HealthCheck,
  type Metrics,
  serveHealth,
  serveMetrics,
} from "../telemetry/index.ts";
import { abortable } from "./abortable.ts";
import { listenOn } from "./listening.ts";
import { type OperatorEnd, type OperatorOptions, StartError } from "./options.ts";
import { type Operator, startOperator } from "./start-operator.ts";

/** Serves the Gateways of a cluster until it is asked to end. */
export async function runOperator(options: OperatorOptions): Promise<OperatorEnd> {
  const ending = new AbortController();
  const stopListening = options.onEndRequest(() => ending.abort());
  const progress: Progress = { doing: "reaching the API server" };
  const metrics = createMetrics();
  const open: Endpoints[] = [];
  try {
    open.push(await listenOn("--health-port", () => serveHealth(options.healthPort, checksOf(progress))));
    open.push(await listenOn("--metrics-port", () => serveMetrics(options.metricsPort, metrics)));
    await serveUntilAsked(options, { progress, metrics }, ending.signal);
    return { kind: "ended" };
  } catch (error) {
    if (ending.signal.aborted) return { kind: "ended" };
    if (error instanceof ClusterError || error instanceof StartError) return { kind: "failed", message: error.message };
    throw error;
  } finally {
    stopListening();
    for (const endpoints of open) await endpoints.close();
  }
}

/** What the health endpoint tells. */
type Progress = { doing: string; operator?: Operator };

async function serveUntilAsked(
  options: OperatorOptions,
  { progress, metrics }: { readonly progress: Progress; readonly metrics: Metrics },
  signal: AbortSignal,
): Promise<void> {
  const operator = await startOperator(options, { metrics, onStep: (doing) => (progress.doing = doing) }, signal);
  if (operator === undefined) return;
  progress.operator = operator;
  try {
    await abortable(operator.failed, signal);
    options.logger.info({}, "asked to end");
  } finally {
    await operator.close();
  }
}

const checksOf = (progress: Progress): readonly HealthCheck[] => [
  { name: "start", problem: () => (progress.operator === undefined ? progress.doing : undefined) },
  { name: "objects", problem: () => unreadKinds(progress.operator) },
  {
    name: "xds",
    problem: () => (progress.operator?.isServing() === false ? "proxies are not served yet" : undefined),
  },
];

function unreadKinds(operator: Operator | undefined): string | undefined {
  if (operator === undefined || operator.source.isSynced()) return undefined;
  const waiting = [...operator.source.state()].flatMap(([kind, { isListed, trouble }]) =>
    isListed ? [] : [trouble?.kind === "forbidden" ? `${kind} (${trouble.message})` : kind],
  );
  return `not read yet: ${waiting.join(", ")}`;
}
