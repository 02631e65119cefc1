import type { Deployment } from "@gatewright/crd-types/apps/v1";
import type { Pod, Secret, Service } from "@gatewright/crd-types/core/v1";
import type { ObjectEvent, RawObject } from "../../kubernetes/index.ts";
import { deepEqual } from "../../lib/index.ts";
import { gatewayOf, isOwnObject, type OwnKind, type OwnObject, refOf } from "./apply-object.ts";
import { podTrouble } from "./proxy-state.ts";

/** What the cluster has of the objects that we make, and of the pods that come of them. */
export type Observed = {
  readonly get: (ref: string) => OwnObject | undefined;
  /** References of what a Gateway owns. */
  readonly ownedBy: (gateway: string) => readonly string[];
  readonly gateways: () => Iterable<string>;
  /** What there is of it that says how a Gateway does. */
  readonly partsOf: (gateway: string) => ProxyParts;
  /** Takes what a watch or an answer tells. Calls back with Gateways that are concerned. */
  readonly take: (kind: OwnKind, events: readonly ObjectEvent[]) => void;
  readonly takeAnswer: (kind: string, object: OwnObject) => void;
  readonly forget: (ref: string) => void;
  readonly takePods: (events: readonly ObjectEvent[]) => void;
};

export type ProxyParts = {
  /** By name. */
  readonly services: readonly Service[];
  readonly deployment?: Deployment;
  readonly secret?: Secret;
  /** What is wrong with pods, in words. */
  readonly troubles: readonly string[];
  /** Names of the nodes of pods that are ready. */
  readonly nodes: ReadonlySet<string>;
};

type PodFacts = { readonly trouble: string | undefined; readonly node: string | undefined };

const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status: isSo }) => type === "Ready" && isSo === "True") === true;

const gatewayLabel = "gateway.networking.k8s.io/gateway-name";

/** `onChange` is told each Gateway of which something changed. */
export function createObserved(onChange: (gateway: string) => void): Observed {
  const objects = new Map<string, OwnObject>();
  /** By Gateway. */
  const owned = new Map<string, Set<string>>();
  /** By their group and key: pods are not owned by Gateways, but have a label of their Deployment. */
  const pods = new Map<string, Map<string, PodFacts>>();
  const gatewayOfGroup = new Map<string, string>();

  function put(ref: string, object: OwnObject | undefined): void {
    const before = objects.get(ref);
    if (object !== undefined && before !== undefined && isOlder(object, before)) return;
    if (object === undefined) objects.delete(ref);
    else objects.set(ref, object);
    const [previous, next] = [before && gatewayOf(before), object && gatewayOf(object)];
    if (previous !== undefined && previous !== next) removeFrom(owned, previous, ref);
    if (next !== undefined) owned.set(next, (owned.get(next) ?? new Set()).add(ref));
    const group = groupOf(object);
    if (next !== undefined && group !== undefined && ref.startsWith("Deployment ")) gatewayOfGroup.set(group, next);
    for (const gateway of new Set([previous, next])) if (gateway !== undefined) onChange(gateway);
  }

  function putPod(key: string, pod: Pod | undefined): void {
    const group = groupOf(pod);
    for (const [other, members] of pods)
      if (other !== group && members.has(key)) {
        removeFrom(pods, other, key);
        tellGroup(other);
      }
    if (pod === undefined || group === undefined) return;
    const members = pods.get(group) ?? new Map<string, PodFacts>();
    pods.set(group, members);
    const facts = { trouble: podTrouble(pod), node: isReady(pod) ? pod.spec?.nodeName : undefined };
    const isNews = !deepEqual(members.get(key), facts);
    members.set(key, facts);
    if (isNews) tellGroup(group);
  }

  function tellGroup(group: string): void {
    const gateway = gatewayOfGroup.get(group);
    if (gateway !== undefined) onChange(gateway);
  }

  function partsOf(gateway: string): ProxyParts {
    const parts = (kind: string) =>
      [...(owned.get(gateway) ?? [])]
        .filter((each) => each.startsWith(`${kind} `))
        .toSorted()
        .map((ref) => objects.get(ref));
    const [deployment] = parts("Deployment");
    const [secret] = parts("Secret");
    const members = [...(pods.get(groupOf(deployment) ?? "")?.values() ?? [])];
    return {
      services: parts("Service").filter(isService),
      ...(isDeployment(deployment) && { deployment }),
      ...(isSecret(secret) && { secret }),
      troubles: members.flatMap(({ trouble }) => trouble ?? []),
      nodes: new Set(members.flatMap(({ node }) => node ?? [])),
    };
  }

  return {
    get: (ref) => objects.get(ref),
    ownedBy: (gateway) => [...(owned.get(gateway) ?? [])],
    gateways: () => owned.keys(),
    partsOf,
    take: ({ kind }, events) => {
      for (const event of events) {
        const object = event.kind === "present" ? event.object : undefined;
        put(`${kind} ${event.key}`, isOwnObject(object) ? object : undefined);
      }
    },
    takeAnswer: (kind, object) => put(refOf(kind, object.metadata.namespace, object.metadata.name), object),
    forget: (ref) => put(ref, undefined),
    takePods: (events) => {
      for (const event of events)
        putPod(event.key, event.kind === "present" && isPod(event.object) ? event.object : undefined);
    },
  };
}

function removeFrom(
  groups: Map<string, { delete: (key: string) => boolean; size: number }>,
  group: string,
  key: string,
): void {
  const members = groups.get(group);
  members?.delete(key);
  if (members?.size === 0) groups.delete(group);
}

// The API server vouches for the shape of its objects; whoever asks knows by the path of which kind they are.
const isService = (object: OwnObject | undefined): object is OwnObject & Service => object !== undefined;
const isDeployment = (object: OwnObject | undefined): object is OwnObject & Deployment => object !== undefined;
const isSecret = (object: OwnObject | undefined): object is OwnObject & Secret => object !== undefined;
const isPod = (object: RawObject): object is RawObject & Pod => "status" in object;

/** What a Deployment and its pods have in common: the label may be a shortened name. */
const groupOf = (object: OwnObject | Pod | undefined): string | undefined => {
  const { namespace, labels } = object?.metadata ?? {};
  return labels?.[gatewayLabel] === undefined ? undefined : `${namespace}/${labels[gatewayLabel]}`;
};

/** A watch may be behind an answer. Versions are numbers that rise: https://kubernetes.io/docs/reference/using-api/api-concepts/ */
const isOlder = (object: OwnObject, known: OwnObject): boolean =>
  object.metadata.uid === known.metadata.uid &&
  Number(object.metadata.resourceVersion) < Number(known.metadata.resourceVersion);
