import type { DesiredStatus } from "../gatewayapi/index.ts";
import { deepEqual } from "../lib/index.ts";
import { type GatewayRow, type Problem, type RouteRow, type Row, type RowContext, rowOf } from "../overview/index.ts";

export type RowChange = { readonly before: Row | undefined; readonly after: Row | undefined };

/** Keeps the row of each object: an edit costs the rows that change. */
export type Board = {
  /** Statuses that changed, by their key; returns the rows that look different now. */
  readonly update: (statuses: Iterable<readonly [string, DesiredStatus | undefined]>) => readonly RowChange[];
  /** Rows of Gateways and ListenerSets show their Envoys too: to be called when those change. */
  readonly refreshGateways: () => readonly RowChange[];
  /** By name, each followed by its ListenerSets. */
  readonly gateways: () => readonly GatewayRow[];
  /** Those with problems first, then by name. */
  readonly routes: () => readonly RouteRow[];
  readonly problems: () => readonly Problem[];
  /** Keys of statuses that have problems. */
  readonly troubled: () => readonly string[];
};

export function createBoard(context: RowContext): Board {
  const rows = new Map<string, Row>();
  const gatewayStatuses = new Map<string, DesiredStatus>();

  function put(key: string, status: DesiredStatus | undefined): RowChange | undefined {
    const before = rows.get(key);
    const after = status === undefined ? undefined : rowOf(status, context);
    if (after === undefined) rows.delete(key);
    else rows.set(key, after);
    return deepEqual(before, after) ? undefined : { before, after };
  }

  function update(statuses: Iterable<readonly [string, DesiredStatus | undefined]>): readonly RowChange[] {
    const changes: RowChange[] = [];
    for (const [key, status] of statuses) {
      if (status?.kind === "Gateway" || status?.kind === "ListenerSet") gatewayStatuses.set(key, status);
      else gatewayStatuses.delete(key);
      const change = put(key, status);
      if (change !== undefined) changes.push(change);
    }
    return changes;
  }

  const all = <K extends Row["kind"]>(kind: K): Extract<Row, { kind: K }>[] =>
    [...rows.values()].filter((row): row is Extract<Row, { kind: K }> => row.kind === kind);

  return {
    update,
    refreshGateways: () => update([...gatewayStatuses]),
    gateways: () => all("gateway").toSorted(byGateway),
    routes: () =>
      all("route").toSorted((left, right) => Number(isFine(left)) - Number(isFine(right)) || byName(left, right)),
    problems: () => [...rows.values()].flatMap(({ problems }) => problems),
    troubled: () => [...rows].flatMap(([key, { problems }]) => (problems.length > 0 ? [key] : [])),
  };
}

const isFine = (route: RouteRow): boolean => route.isAttached && route.problems.length === 0;

function byGateway(left: GatewayRow, right: GatewayRow): number {
  if (left.gateway !== right.gateway) return left.gateway < right.gateway ? -1 : 1;
  const isSet = ({ gateway, name }: GatewayRow) => Number(name !== gateway);
  return isSet(left) - isSet(right) || byName(left, right);
}

const byName = (left: { readonly name: string }, right: { readonly name: string }): number =>
  left.name < right.name ? -1 : left.name > right.name ? 1 : 0;
