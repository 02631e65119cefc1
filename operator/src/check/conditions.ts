import { parseRouteKey, type ParentView, type RulesView } from "../gatewayapi/index.ts";
import { listenersOf, type Problem, rowOf } from "../overview/index.ts";
import type { StoredKind } from "../store/index.ts";
import { checkExtension } from "../xds/index.ts";
import { isFields, textOf } from "../lib/index.ts";
import { missingIn, referenceIn, type Reporter, splitField } from "./reporter.ts";
import type { Translated } from "./translate.ts";

export type ConditionOptions = {
  readonly reporter: Reporter;
  /** Names of objects that are in no file. */
  readonly assumed: ReadonlySet<string>;
  readonly isWritten: (kind: StoredKind, key: string) => boolean;
  readonly isComplete: boolean;
};

/** Tells what the conditions of all objects would say, and what Envoy would refuse. */
export function tellConditions(translated: Translated, options: ConditionOptions): void {
  tellRoutes(translated, options);
  tellFilters(translated, options);
  tellPolicies(translated, options);
  tellStatuses(translated, options);
  tellEnvoy(translated, options);
}

function tellRoutes({ attachments, rules, store }: Translated, options: ConditionOptions): void {
  const { reporter } = options;
  for (const routeKey of attachments.keys()) {
    const { kind, key } = parseRouteKey(routeKey);
    const route = store.objects[kind].get(key);
    if (route === undefined) continue;
    for (const parent of attachments.get(routeKey)?.parents ?? [])
      tellParent(kind, key, parent, route.spec.parentRefs ?? [], { ...options, store });
    for (const { reason, message } of problemsOf(rules.get(routeKey)))
      reporter.tellReason({ kind, key, reason, ...splitField(message) });
  }
}

function problemsOf(view: RulesView | undefined): readonly { readonly reason: string; readonly message: string }[] {
  if (view === undefined) return [];
  if (view.problems !== undefined) return view.problems;
  return [view.resolvedRefs, view.accepted].filter((outcome) => outcome.kind !== "ok");
}

type ParentRefs = readonly { readonly name: string; readonly sectionName?: string; readonly port?: number }[];

function tellParent(
  kind: StoredKind,
  key: string,
  { accepted, parent, parentRef }: ParentView,
  refs: ParentRefs,
  { reporter, assumed, isWritten, isComplete, store }: ConditionOptions & Pick<Translated, "store">,
): void {
  if (accepted.status === "True" || assumed.has(parent.includes(" ") ? parent : `Gateway ${parent}`)) return;
  const { name, namespace, sectionName, port } = parentRef;
  const index = refs.findIndex(
    (ref) =>
      ref.name === name &&
      ("namespace" in ref ? ref.namespace : undefined) === namespace &&
      ref.sectionName === sectionName &&
      ref.port === port,
  );
  const field = index === -1 ? "spec.parentRefs" : `spec.parentRefs[${index}]`;
  const { reason, message } = accepted;
  const told = { kind, key, field, reason, message };
  const ownNamespace = key.slice(0, key.indexOf("/"));
  const hangsOnLabels =
    reason === "NotAllowedByListeners" &&
    !isComplete &&
    !isWritten("Namespace", ownNamespace) &&
    selects(store, parent);
  if (!hangsOnLabels) reporter.tellReason(told);
  else {
    const hint = `Namespace ${ownNamespace}, whose labels decide, is not in the files`;
    reporter.tell({ ...told, rule: "NotAllowedByListeners", severity: "warning", hint });
  }
}

/** Whether listeners choose the namespaces of their routes by labels. */
function selects({ objects }: Translated["store"], parent: string): boolean {
  const [kind, key = ""] = parent.includes(" ") ? parent.split(" ") : ["Gateway", parent];
  const owner = kind === "ListenerSet" ? objects.ListenerSet.get(key) : objects.Gateway.get(key);
  return (owner?.spec.listeners ?? []).some(({ allowedRoutes }) => allowedRoutes?.namespaces?.from === "Selector");
}

/** All that Envoy's rules say of a filter, each where it is written. */
function tellFilters({ filters, store }: Translated, { reporter, isComplete }: ConditionOptions): void {
  const hasMesh = [...store.objects.MeshConfig.keys()].length > 0;
  for (const key of filters.keys()) {
    const view = filters.get(key);
    if (view?.kind !== "invalid") continue;
    for (const part of view.message.split(/; (?=spec[.:])/)) {
      const told = { kind: "HTTPFilter", key, ...splitField(part) } as const;
      if (view.reason !== "NotAllowed") reporter.tell({ ...told, rule: "envoy" });
      else tellNotAllowed(told);
    }
  }

  function tellNotAllowed(told: {
    readonly kind: string;
    readonly key: string;
    readonly field: string;
    readonly message: string;
  }) {
    const { filter = "", typedConfig } = store.objects.HTTPFilter.get(told.key)?.spec ?? {};
    const verdict = checkExtension({ filter, typedConfig }, [filter]);
    const isKnown = verdict.kind === "valid" || verdict.problems.every(({ reason }) => reason !== "NotAllowed");
    const mayBeAllowed = isKnown && !hasMesh && !isComplete;
    reporter.tell({
      ...told,
      rule: "NotAllowed",
      ...(mayBeAllowed && {
        severity: "warning",
        hint: "a MeshConfig may allow it, and none is in the files",
      }),
    });
    if (verdict.kind === "valid" || !isKnown) return;
    for (const { path, message } of verdict.problems)
      reporter.tell({ kind: told.kind, key: told.key, field: `spec.${path}`, rule: "envoy", message });
  }
}

function tellPolicies({ tlsPolicies, store }: Translated, { reporter }: ConditionOptions): void {
  for (const key of tlsPolicies.keys()) {
    const policy = store.objects.BackendTLSPolicy.get(key);
    const { conditions = [], unreached = "" } = tlsPolicies.get(key) ?? {};
    for (const part of partsOf(unreached)) if (part !== "") tellPart(policy, "TargetNotFound", part);
    for (const { status, reason, message } of conditions)
      if (status === "False" && reason !== "TargetNotFound")
        for (const part of partsOf(message)) tellPart(policy, reason, part);
  }

  function tellPart(
    policy: { readonly metadata: { readonly namespace?: string; readonly name?: string } } | undefined,
    reason: string,
    message: string,
  ) {
    if (policy === undefined) return;
    const { namespace = "", name = "" } = policy.metadata;
    const base = reason === "TargetNotFound" || reason === "Conflicted" ? "spec.targetRefs" : "spec.validation";
    const field = referenceIn(policy, base, message);
    reporter.tellReason({ kind: "BackendTLSPolicy", key: `${namespace}/${name}`, field, reason, message });
  }
}

/** Conditions say several things in one message. */
const partsOf = (message: string): readonly string[] => message.split(/; (?=[A-Z]|no ReferenceGrant)/);

function tellStatuses(translated: Translated, { reporter, assumed }: ConditionOptions): void {
  const { statuses, store } = translated;
  const context = {
    member: () => undefined,
    listeners: listenersOf(store),
    hostnames: () => [],
    place: () => undefined,
  };
  for (const name of statuses.keys()) {
    const desired = statuses.get(name);
    if (desired === undefined || assumed.has(name)) continue;
    const { kind, key, status } = desired;
    // These are told by what their parts say.
    if (kind.endsWith("Route") || kind === "BackendTLSPolicy") continue;
    const object: unknown = kind in store.objects ? store.objects[kind].get(key) : undefined;
    const { problems } = rowOf(desired, context);
    // That nobody is trusted follows from what is not there.
    const lacks = problems.some(({ message }) => missingIn(message) !== undefined);
    if (kind !== "HTTPFilter" || translated.filters.get(key)?.kind === "valid")
      for (const problem of problems)
        if (!lacks || problem.reason !== "NoValidCACertificate") tellProblem(kind, key, problem, object);
    tellCertificates(kind, key, status, object);
  }

  function tellProblem(kind: StoredKind, key: string, { field = "", reason = "", message }: Problem, object: unknown) {
    const listener = /^listener (.*)$/s.exec(field)?.[1];
    for (const part of partsOf(message)) {
      const split = splitField(part);
      const whole = ["NotAssigned", "PartiallyAssigned"].includes(reason) ? "spec.addresses" : "spec";
      const base = split.field || (listener === undefined ? "" : listenerField(object, listener)) || whole;
      const told = { kind, key, field: referenceIn(object, base, split.message), message: split.message };
      if (reason === "OverlappingHostnames") reporter.tell({ ...told, rule: "overlap", severity: "warning" });
      else reporter.tellReason({ ...told, reason });
    }
  }

  /** What does not keep a listener from being served, and is worth knowing. */
  function tellCertificates(kind: StoredKind, key: string, status: unknown, object: unknown) {
    const entries = isFields(status) && Array.isArray(status["listeners"]) ? status["listeners"].filter(isFields) : [];
    for (const { name, conditions } of entries) {
      const all = Array.isArray(conditions) ? conditions.filter(isFields) : [];
      for (const condition of all) {
        const message = textOf(condition["message"]);
        if (condition["type"] !== "ResolvedRefs" || condition["status"] !== "True" || message === "") continue;
        for (const part of partsOf(message)) {
          const field = referenceIn(object, listenerField(object, textOf(name)), part);
          const rule = part.includes("certificate") ? "certificate" : "no-effect";
          reporter.tell({ kind, key, field, rule, severity: "warning", message: part });
        }
      }
    }
  }
}

function listenerField(object: unknown, name: string): string {
  const spec = isFields(object) && isFields(object["spec"]) ? object["spec"] : {};
  const listeners = Array.isArray(spec["listeners"]) ? spec["listeners"].filter(isFields) : [];
  const index = listeners.findIndex((listener) => listener["name"] === name);
  return index === -1 ? "spec.listeners" : `spec.listeners[${index}]`;
}

function tellEnvoy({ xds }: Translated, { reporter }: ConditionOptions): void {
  for (const key of xds.problems.keys()) {
    const problem = xds.problems.get(key);
    if (problem?.origin === undefined) continue;
    const { origin, effect, violations } = problem;
    const outcome = effect === "answers-500" ? "its requests would be answered 500" : "it would be left out";
    for (const { path, message } of violations)
      reporter.tell({
        kind: origin.kind,
        key: `${origin.namespace}/${origin.name}`,
        field: origin.field ?? "",
        rule: "envoy",
        message: `${path === "" ? "" : `${path}: `}${message}; ${outcome}`,
      });
  }
}
