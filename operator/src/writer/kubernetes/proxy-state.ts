import type { Deployment } from "@gatewright/crd-types/apps/v1";
import type { ContainerStatus, Pod } from "@gatewright/crd-types/core/v1";
import type { ProxyState } from "../../gatewayapi/index.ts";

const maxLength = 400;

/**
 * How the proxies of a Gateway are, in words for its status. `troubles` are what `podTrouble` says of their pods; `problem` is why
 * something of what was asked for could not be applied.
 */
export function proxyStateOf(
  deployment: Deployment | undefined,
  troubles: readonly string[],
  problem?: string,
): ProxyState {
  const pending = (message: string): ProxyState => ({ kind: "pending", message: cut(message) });
  if (problem !== undefined) return pending(problem);
  if (deployment === undefined) return pending("the proxies are about to be deployed");
  const { spec, status } = deployment;
  const wanted = spec?.replicas ?? 1;
  const ready = status?.readyReplicas ?? 0;
  if (wanted === 0) return pending("there are no proxies: their number is set to 0");
  if (ready > 0) return { kind: "ready" };
  const why = [...new Set([...failuresOf(deployment), ...troubles])];
  return pending(`0 of ${wanted} proxies are ready${why.length === 0 ? "" : `: ${why.join("; ")}`}`);
}

/** What keeps the Deployment from making pods: a quota, a policy. */
const failuresOf = ({ status }: Deployment): readonly string[] =>
  (status?.conditions ?? []).flatMap(({ type, status: isSo, message = "" }) =>
    type === "ReplicaFailure" && isSo === "True" && message !== "" ? [message] : [],
  );

/** Why a pod is not ready, in words; undefined: nothing is wrong with it, or it is going away. */
export function podTrouble({ metadata, status }: Pod): string | undefined {
  if (metadata.deletionTimestamp !== undefined) return undefined;
  const unscheduled = status?.conditions?.find(({ type, status: isSo }) => type === "PodScheduled" && isSo === "False");
  if (unscheduled !== undefined) return sentence(unscheduled.reason ?? "Unschedulable", unscheduled.message);
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return containers.map(containerTrouble).find((trouble) => trouble !== undefined);
}

/** Every container waits for one of these before it starts. */
const usualWaits: ReadonlySet<string> = new Set(["ContainerCreating", "PodInitializing"]);

function containerTrouble({ state, lastState }: ContainerStatus): string | undefined {
  const { waiting } = state ?? {};
  if (waiting?.reason === undefined || usualWaits.has(waiting.reason)) return undefined;
  const ended = lastState?.terminated;
  const message =
    ended === undefined ? waiting.message : `it ended with ${ended.reason ?? "exit code"} ${ended.exitCode}`;
  return sentence(waiting.reason, message);
}

const sentence = (reason: string, message = ""): string => (message === "" ? reason : `${reason}: ${message}`);

const cut = (text: string): string => (text.length > maxLength ? `${text.slice(0, maxLength)}…` : text);
