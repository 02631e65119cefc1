import type { DesiredStatus, ProxyState } from "../gatewayapi/index.ts";
import { isAnyAddress } from "../lib/index.ts";

/** What a person sees of one object, on the table and in the log. */
export type Row = GatewayRow | RouteRow | OtherRow;

/** Of a Gateway, or of a ListenerSet that is served by one. */
export type GatewayRow = {
  readonly kind: "gateway";
  /** `namespace/name`, for a ListenerSet with the kind before it. */
  readonly name: string;
  /** Key of the Gateway. */
  readonly gateway: string;
  /** In words: `serving`, or what it waits for. */
  readonly state: string;
  readonly isServing: boolean;
  readonly listeners: readonly ListenerRow[];
  readonly problems: readonly Problem[];
};

export type ListenerRow = {
  readonly name: string;
  readonly protocol: string;
  /** For example `http://127.0.0.1:8080`; undefined where nothing is bound. */
  readonly url?: string;
  /** Why the port is not the one that the Gateway states. */
  readonly note?: string;
  readonly hostname: string;
  readonly routes: number;
  readonly isServing: boolean;
};

export type RouteRow = {
  readonly kind: "route";
  /** `HTTPRoute namespace/name`. */
  readonly name: string;
  readonly gateways: readonly string[];
  readonly hostnames: readonly string[];
  readonly isAttached: boolean;
  readonly problems: readonly Problem[];
};

export type OtherRow = { readonly kind: "other"; readonly name: string; readonly problems: readonly Problem[] };

/** Something that a person should mend. */
export type Problem = {
  /** `HTTPRoute namespace/name`, where it is an object's. */
  readonly object?: string;
  /** `file:line`, where it is known. */
  readonly place?: string;
  /** Path in the object or name of the part, such as `listener http`. */
  readonly field?: string;
  readonly reason?: string;
  readonly message: string;
  /** It is worth knowing, and everything works. */
  readonly isWarning?: boolean;
};

/** What is shown of the Envoy of a Gateway on this host. */
type ShownMember = {
  readonly spot:
    | {
        readonly kind: "placed";
        readonly address: string;
        /** By the port that the Gateway states. */
        readonly ports: ReadonlyMap<number, ShownPort>;
      }
    | { readonly kind: "unplaced"; readonly reason: string };
  readonly state: ProxyState;
};

type ShownPort =
  | { readonly kind: "bound"; readonly port: number; readonly note?: string }
  | { readonly kind: "unavailable" };

export type RowContext = {
  readonly member: (gateway: string) => ShownMember | undefined;
  readonly listeners: (kind: ListenerOwner, key: string) => ListenersSpec | undefined;
  readonly hostnames: (kind: string, key: string) => readonly string[];
  /** `file:line` of an object. */
  readonly place: (kind: string, key: string) => string | undefined;
};

type ListenerOwner = "Gateway" | "ListenerSet";

/** What of the specification of a Gateway or ListenerSet is shown. */
export type ListenersSpec = {
  /** Key of the Gateway that serves them. */
  readonly gateway: string;
  readonly listeners: readonly {
    readonly name: string;
    readonly port: number;
    readonly protocol: string;
    readonly hostname?: string;
  }[];
};

type Condition = { readonly type: string; readonly status: string; readonly reason: string; readonly message: string };

/** Turns a status into what is shown. */
export function rowOf(desired: DesiredStatus, context: RowContext): Row {
  const { kind, key, status } = desired;
  const name = `${kind} ${key}`;
  const place = context.place(kind, key);
  const problemAt = (condition: Condition, field?: string): Problem => ({
    object: name,
    ...(place === undefined ? {} : { place }),
    ...(field === undefined ? {} : { field }),
    reason: condition.reason,
    message: condition.message,
  });
  if (kind === "Gateway" || kind === "ListenerSet") return gatewayRow(kind, key, status, context, problemAt);
  if (kind.endsWith("Route")) {
    const parents = recordsIn(status["parents"]);
    const conditions = parents.flatMap((parent) => conditionsOf(parent));
    return {
      kind: "route",
      name,
      gateways: [...new Set(parents.map((parent) => parentName(parent, key)))],
      hostnames: context.hostnames(kind, key),
      isAttached: conditions.some(({ type, status: value }) => type === "Accepted" && value === "True"),
      problems: unique(conditions.filter(isProblem).map((condition) => problemAt(condition))),
    };
  }
  return {
    kind: "other",
    name,
    problems: conditionsOf(status)
      .filter(isProblem)
      .map((condition) => problemAt(condition)),
  };
}

function gatewayRow(
  kind: ListenerOwner,
  key: string,
  status: DesiredStatus["status"],
  context: RowContext,
  problemAt: (condition: Condition, field?: string) => Problem,
): GatewayRow {
  const { gateway = key, listeners: stated = [] } = context.listeners(kind, key) ?? {};
  const member = context.member(gateway);
  const states = new Map(recordsIn(status["listeners"]).map((entry) => [String(entry["name"]), entry]));
  const isUp = member?.state.kind === "ready";
  // Whatever is bound at its ports is not bound for it.
  const isLeftOut =
    kind === "ListenerSet" &&
    conditionsOf(status).some(({ type, status: value }) => type === "Accepted" && value === "False");
  const listeners = (isLeftOut ? [] : stated).map(({ name, port, protocol, hostname }): ListenerRow => {
    const entry = states.get(name) ?? {};
    const spot = member?.spot.kind === "placed" ? member.spot.ports.get(port) : undefined;
    const isProgrammed = conditionsOf(entry).some(
      ({ type, status: value }) => type === "Programmed" && value === "True",
    );
    const routes = entry["attachedRoutes"];
    return {
      name,
      protocol,
      hostname: hostname ?? "*",
      routes: typeof routes === "number" ? routes : 0,
      isServing: isUp && isProgrammed,
      ...(spot?.kind === "bound" && member?.spot.kind === "placed"
        ? {
            url: urlOf(protocol, member.spot.address, spot.port),
            ...(spot.note === undefined ? {} : { note: spot.note }),
          }
        : {}),
    };
  });
  const ofListeners = [...states].flatMap(([name, entry]) =>
    conditionsOf(entry)
      .filter(isProblem)
      .map((condition) => problemAt(condition, `listener ${name}`)),
  );
  const own = conditionsOf(status)
    .filter(isProblem)
    .map((condition) => problemAt(condition));
  const placing =
    // Once is enough: the Gateway says it for its ListenerSets.
    member?.spot.kind === "unplaced" && kind === "Gateway"
      ? [problemAt({ type: "", status: "", reason: "AddressNotAssigned", message: member.spot.reason })]
      : [];
  const isServing = isUp && listeners.some((listener) => listener.isServing);
  return {
    kind: "gateway",
    name: kind === "Gateway" ? key : `${kind} ${key}`,
    gateway,
    state: isLeftOut ? "not accepted" : stateOf(member, isServing),
    isServing,
    listeners,
    // What the Gateway says of itself repeats what its listeners say.
    problems: unique(placing.length > 0 ? placing : ofListeners.length > 0 ? ofListeners : own),
  };
}

function stateOf(member: ShownMember | undefined, isServing: boolean): string {
  if (isServing) return "serving";
  if (member === undefined) return "waiting for a place";
  if (member.spot.kind === "unplaced") return "not placed";
  return member.state.kind === "ready" ? "not serving" : member.state.message;
}

function urlOf(protocol: string, address: string, port: number): string {
  const host = isAnyAddress(address) ? "127.0.0.1" : address.includes(":") ? `[${address}]` : address;
  const scheme = protocol === "HTTP" ? "http" : protocol === "HTTPS" ? "https" : protocol.toLowerCase();
  return `${scheme}://${host}:${port}`;
}

/** Reasons of `Programmed` that repeat other conditions, or that pass by themselves. */
const echoes = [
  "Pending",
  "Invalid",
  "ListenersNotValid",
  "AddressNotAssigned",
  "AddressNotUsable",
  "ParentNotProgrammed",
];

/** Conditions that are bad news. Some types are bad when true; what is merely pending is no problem. */
function isProblem({ type, status, reason }: Condition): boolean {
  if (["Conflicted", "PartiallyInvalid", "OverlappingTLSConfig"].includes(type)) return status === "True";
  return status === "False" && !(type === "Programmed" && echoes.includes(reason));
}

function parentName(parent: Readonly<Record<string, unknown>>, routeKey: string): string {
  const ref = isRecord(parent["parentRef"]) ? parent["parentRef"] : {};
  const namespace = typeof ref["namespace"] === "string" ? ref["namespace"] : routeKey.slice(0, routeKey.indexOf("/"));
  const prefix = ref["kind"] === "ListenerSet" ? "ListenerSet " : "";
  return `${prefix}${namespace}/${String(ref["name"])}`;
}

function conditionsOf(holder: Readonly<Record<string, unknown>>): readonly Condition[] {
  return recordsIn(holder["conditions"]).map(({ type, status, reason, message }) => ({
    type: String(type),
    status: String(status),
    reason: String(reason),
    message: String(message),
  }));
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

const recordsIn = (value: unknown): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];

function unique(problems: readonly Problem[]): readonly Problem[] {
  return [...new Map(problems.map((problem) => [formatProblem(problem), problem])).values()];
}

/** One line: where, what, why. */
export function formatProblem({ place, object, field, reason, message }: Problem): string {
  const where = [place, object, field].filter((part) => part !== undefined).join(" ");
  return `${where}${where === "" ? "" : ": "}${message}${reason === undefined ? "" : ` (${reason})`}`;
}
