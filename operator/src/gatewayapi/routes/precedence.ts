import type { Route } from "../../ir/index.ts";
import { compareSpecificity } from "../attach/hostnames.ts";
import type { MatchRank, RankedRoute } from "../views.ts";

/** A route beside those of other objects in one virtual host. */
export type Contender = RankedRoute & {
  /** The hostname as its object states it. */
  readonly statedHost: string;
  /** Of its object; an empty one is the oldest. */
  readonly createdAt: string;
  /** Of its object: `namespace/name`. */
  readonly key: string;
};

const pathOrder: Readonly<Record<MatchRank["path"], number>> = { exact: 0, regex: 1, prefix: 2 };

const compareText = (left: string, right: string): number => (left === right ? 0 : left < right ? -1 : 1);

/**
 * Gateway API's order of precedence, the first one serving. Regular expressions stand between exact paths and prefixes, the
 * longer one first: who writes one means it before a prefix.
 */
export function comparePrecedence(left: Contender, right: Contender): number {
  const [a, b] = [left.rank, right.rank];
  return (
    compareSpecificity(left.statedHost, right.statedHost) ||
    pathOrder[a.path] - pathOrder[b.path] ||
    b.pathLength - a.pathLength ||
    Number(b.hasMethod) - Number(a.hasMethod) ||
    b.headerCount - a.headerCount ||
    b.queryParamCount - a.queryParamCount ||
    compareText(left.createdAt, right.createdAt) ||
    compareText(left.key, right.key) ||
    a.rule - b.rule ||
    a.match - b.match
  );
}

export const inOrder = (contenders: readonly Contender[]): readonly Route[] =>
  contenders.toSorted(comparePrecedence).map(({ route }) => route);
