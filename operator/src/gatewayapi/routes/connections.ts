import type { BackendRef } from "@gatewright/crd-types/gateway/v1";
import type { Cluster, TcpProxy } from "../../ir/index.ts";
import { weightedClusterName } from "../backends/index.ts";
import { createdAt } from "../created-at.ts";
import type { RouteObject } from "../route-objects.ts";
import type { RulesView } from "../views.ts";
import type { References } from "./references.ts";
import { createRuleReport, type RuleReport } from "./report.ts";
import { verdictOf } from "./rules.ts";
import type { HttpRouteKind } from "./unavailable.ts";

/** Routes that know connections only. */
export type ConnectionRoute = Exclude<RouteObject, { kind: HttpRouteKind }>;

const maxWeight = 1_000_000;

/** Their rules have nothing to match: the API allows one, and of several the first takes all. */
export function translateConnections(
  { kind, object }: ConnectionRoute,
  references: References,
  /** For where TLS has ended at the listener; leads to the same backends. */
  reencrypting?: References,
): RulesView {
  const report = createRuleReport(0);
  if (object.spec.rules.length > 1)
    report.refuse("", "stands beside other rules, and nothing tells which one a connection is for");
  const { tcp, clusters } = shareOut(object, references, report);
  const reencrypted = reencrypting && shareOut(object, reencrypting, createRuleReport(0));
  return {
    createdAt: createdAt(object),
    rules: [],
    ...(kind === "UDPRoute"
      ? datagrams(object, tcp, clusters)
      : {
          tcp,
          ...(reencrypted && { reencrypted: reencrypted.tcp }),
          clusters: [...clusters, ...(reencrypted?.clusters ?? [])],
        }),
    ...verdictOf([{ invalid: report.invalid, unresolved: report.unresolved, routes: [] }]),
    extensions: [],
  };
}

function shareOut(
  { spec }: ConnectionRoute["object"],
  references: References,
  report: RuleReport,
): { readonly tcp: TcpProxy; readonly clusters: readonly Cluster[] } {
  const rules: readonly { readonly backendRefs?: readonly BackendRef[] }[] = spec.rules;
  const shares = (rules[0]?.backendRefs ?? []).map((ref, index) => {
    const { weight = 1 } = ref;
    const field = `backendRefs[${index}]`;
    if (!Number.isInteger(weight) || weight < 0 || weight > maxWeight)
      report.refuse(`${field}.weight`, `${weight} is not a number from 0 to ${maxWeight}`);
    const target = references.backend(ref);
    if (target.kind === "unresolved") report.unresolve(field, target);
    return { weight, cluster: target.kind === "cluster" ? target.cluster : undefined };
  });
  const used = report.invalid.length > 0 ? [] : shares.filter(({ weight }) => weight > 0);
  const tcp: TcpProxy = {
    backends: used.flatMap(({ weight, cluster }) => (cluster ? { cluster: cluster.name, weight } : [])),
    failingWeight: used.reduce((sum, { weight, cluster }) => (cluster ? sum : sum + weight), 0),
  };
  const clusters = new Map(used.flatMap(({ cluster }) => (cluster ? [[cluster.name, cluster] as const] : [])));
  return { tcp, clusters: [...clusters.values()] };
}

/** Envoy's UDP proxy knows one cluster only: what is to be shared out by weight becomes one whose endpoints have the weights. */
function datagrams(
  { metadata }: ConnectionRoute["object"],
  { backends, failingWeight }: TcpProxy,
  clusters: readonly Cluster[],
): Pick<RulesView, "udp" | "weighted" | "clusters"> {
  const [first, ...others] = backends;
  if (first === undefined) return { udp: {}, clusters };
  if (others.length === 0 && failingWeight === 0) return { udp: { cluster: first.cluster }, clusters };
  const { namespace = "", name = "" } = metadata;
  const cluster: Cluster = {
    name: weightedClusterName(namespace, name),
    origin: { kind: "UDPRoute", namespace, name },
    endpoints: { kind: "eds" },
    protocol: "udp",
    connectTimeoutMs: 5_000,
  };
  return {
    udp: { cluster: cluster.name },
    weighted: { cluster, shares: backends, failingWeight },
    clusters: [...clusters, cluster],
  };
}

/** A route that Envoy refused: its hosts stay its own, and connections for them are closed. */
export const failConnections = ({ kind, object }: ConnectionRoute, refusal: string): RulesView => ({
  createdAt: createdAt(object),
  rules: [],
  clusters: [],
  resolvedRefs: { kind: "ok" },
  accepted: { kind: "problem", reason: "Rejected", message: `Envoy refused the configuration: ${refusal}` },
  extensions: [],
  ...(kind === "UDPRoute" ? { udp: {} } : { tcp: { backends: [], failingWeight: 0 } }),
});
