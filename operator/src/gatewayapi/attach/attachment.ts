import {
  GroupName,
  type ParentReference,
  RouteConditionAccepted,
  RouteReasonAccepted,
  RouteReasonNoMatchingListenerHostname,
  RouteReasonNoMatchingParent,
  RouteReasonNotAllowedByListeners,
} from "@gatewright/crd-types/gateway/v1";
import type { ProxyKey } from "../../ir/index.ts";
import { objectKey } from "../../store/index.ts";
import { isFalse, isTrue } from "../conditions.ts";
import { parentKey } from "../listener-parents.ts";
import { listed } from "../messages.ts";
import type { AttachedListener, DesiredCondition, ParentView } from "../views.ts";
import type { AttachPoint, AttachPoints } from "./attach-points.ts";
import { anyHost, compareSpecificity, intersectHostnames, normalizeHostname, widerHostnames } from "./hostnames.ts";
import type { RouteKind } from "./kinds.ts";
import { allowsNamespace, type Labels } from "./namespaces.ts";

/** What attachment asks of a route, whatever its kind. */
export type AttachableRoute = {
  readonly namespace: string;
  readonly parentRefs: readonly ParentReference[];
  /** Empty where it states none, or where its kind knows none. */
  readonly hostnames: readonly string[];
};

export type AttachContext = {
  readonly kind: RouteKind;
  /** By `parentKey`; undefined where the Gateway is not ours. */
  readonly parent: (key: string) => AttachPoints | undefined;
  readonly labels: (namespace: string) => Labels;
};

/** What becomes of a route's references to Gateways of ours and their ListenerSets, in the route's order, each once. */
export function attachRoute(route: AttachableRoute, context: AttachContext): readonly ParentView[] {
  const seen = new Set<string>();
  const parents: ParentView[] = [];
  for (const ref of route.parentRefs) {
    const { group = GroupName, kind = "Gateway", namespace = route.namespace, name, sectionName, port } = ref;
    const identity = JSON.stringify([group, kind, namespace, name, sectionName ?? "", port ?? 0]);
    if (group !== GroupName || (kind !== "Gateway" && kind !== "ListenerSet") || seen.has(identity)) continue;
    seen.add(identity);
    const key = parentKey(kind, objectKey(namespace, name));
    const points = context.parent(key);
    if (points === undefined) continue;
    // The API server fills in group and kind; a folder of manifests may leave them out.
    parents.push(attachTo(key, points, { ...ref, group, kind }, route, context));
  }
  return parents;
}

function attachTo(
  parent: string,
  points: AttachPoints,
  parentRef: ParentReference,
  route: AttachableRoute,
  { kind, labels }: AttachContext,
): ParentView {
  const answer = (accepted: DesiredCondition, listeners: readonly AttachedListener[] = []): ParentView => ({
    parentRef,
    gateway: points.gateway,
    parent,
    listeners,
    accepted,
  });
  const refuse = (reason: string, message: string) => answer(isFalse(RouteConditionAccepted, { reason, message }));

  if (points.closed !== undefined) return refuse(RouteReasonNoMatchingParent, points.closed);
  const chosen = points.listeners.filter((listener) => isChosen(listener, parentRef));
  if (chosen.length === 0) return refuse(RouteReasonNoMatchingParent, noMatch(points, parentRef));

  const willing = chosen.filter(
    ({ supportedKinds, allowedNamespaces, routeTable }) =>
      routeTable !== undefined &&
      supportedKinds.some((supported) => supported.group === kind.group && supported.kind === kind.kind) &&
      allowsNamespace(allowedNamespaces, points.namespace, route.namespace, labels),
  );
  if (willing.length === 0)
    return refuse(
      RouteReasonNotAllowedByListeners,
      `allowedRoutes of ${listeners(chosen)} take no ${kind.kind} of namespace ${route.namespace}`,
    );

  const stated = route.hostnames.length === 0 ? [anyHost] : route.hostnames.map(normalizeHostname);
  const attached = willing.flatMap((listener) => attachListener(listener, points.proxy, stated));
  return attached.length === 0
    ? refuse(
        RouteReasonNoMatchingListenerHostname,
        `no hostname of the route (${listed(stated)}) is one of ${listeners(willing, ({ hostname }) => hostname ?? anyHost)}`,
      )
    : answer(isTrue(RouteConditionAccepted, RouteReasonAccepted), attached);
}

const isChosen = ({ name, port }: AttachPoint, ref: ParentReference): boolean =>
  (ref.sectionName === undefined || ref.sectionName === "" || ref.sectionName === name) &&
  (ref.port === undefined || ref.port === port);

function noMatch({ title, listeners: all }: AttachPoints, { sectionName, port }: ParentReference): string {
  const wanted = [sectionName && `named ${sectionName}`, port && `on port ${port}`].filter(Boolean).join(" ");
  return `${title} has no listener ${wanted}; it has ${listeners(all, (listener) => String(listener.port))}`;
}

const listeners = (points: readonly AttachPoint[], detail?: (point: AttachPoint) => string): string =>
  `listener${points.length === 1 ? "" : "s"} ${listed(points.map((point) => (detail ? `${point.name} (${detail(point)})` : point.name)))}`;

/** The route's hosts on one listener; none where they have no host in common. */
function attachListener(
  { name, port, hostname = anyHost, programmable, routeTable = "", rivals }: AttachPoint,
  proxy: ProxyKey,
  stated: readonly string[],
): readonly AttachedListener[] {
  const statedByHost = new Map<string, string>();
  for (const candidate of stated) {
    const host = intersectHostnames(candidate, hostname);
    if (host === undefined) continue;
    const known = statedByHost.get(host);
    if (known === undefined || compareSpecificity(candidate, known) < 0) statedByHost.set(host, candidate);
  }
  if (statedByHost.size === 0) return [];
  // A host that a more specific listener of the port owns is that listener's alone, even if it has no route for it.
  const isTaken = (host: string) => [host, ...widerHostnames(host)].some((wider) => rivals.has(wider));
  const served = programmable ? [...statedByHost].filter(([host]) => !isTaken(host)) : [];
  return [
    {
      proxy,
      listener: name,
      port,
      routeTable,
      hosts: served.map(([host]) => host),
      statedHosts: served.map(([, from]) => from),
    },
  ];
}
