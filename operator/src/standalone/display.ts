import type { Logger } from "../lib/index.ts";
import { formatProblem, type GatewayRow, type Problem, type RouteRow, type Row } from "../overview/index.ts";
import type { RowChange } from "./board.ts";

/** Shows what stands: as a table that is kept up to date, or as lines when something changes. */
export type Display = {
  readonly show: (changes: readonly RowChange[]) => void;
  /** Problems of files, all of them. */
  readonly showFileProblems: (problems: readonly Problem[]) => void;
  readonly close: () => void;
};

/** So many lines of a sort are written at once; what is beyond is counted. */
const maxLines = 20;

/** Lines in the log: for output that is not a terminal. */
export function createLogDisplay(logger: Logger): Display {
  let fileProblems: Problems = new Map();

  function showProblems(before: Problems, after: Problems): void {
    limited(linesOnlyIn(after, before), "problems", (line) => logger.warn({}, line));
    limited(linesOnlyIn(before, after), "problems solved", (line) => logger.info({}, `solved: ${line}`));
  }

  function limited(lines: readonly string[], what: string, say: (line: string) => void): void {
    for (const line of lines.slice(0, maxLines)) say(line);
    if (lines.length > maxLines) say(`… and ${lines.length - maxLines} more ${what}`);
  }

  return {
    show: (changes) => {
      const lines = changes.map(describeChange).filter((line) => line !== undefined);
      limited(lines, "changes", (line) => logger.info({}, line));
      showProblems(problemsIn(changes, "before"), problemsIn(changes, "after"));
    },
    showFileProblems: (problems) => {
      const now = byIdentity(problems);
      showProblems(fileProblems, now);
      fileProblems = now;
    },
    close: () => undefined,
  };
}

/** What is said of problems, by what makes them the same: one that has only moved to another line is neither new nor solved. */
type Problems = ReadonlyMap<string, string>;

const byIdentity = (problems: readonly Problem[]): Problems =>
  new Map(
    problems.map((problem) => {
      const file = problem.place?.replace(/(?::\d+)+$/, "");
      return [formatProblem({ ...problem, ...(file === undefined ? {} : { place: file }) }), formatProblem(problem)];
    }),
  );

const problemsIn = (changes: readonly RowChange[], side: "before" | "after"): Problems =>
  byIdentity(changes.flatMap((change) => change[side]?.problems ?? []));

const linesOnlyIn = (problems: Problems, others: Problems): readonly string[] =>
  [...problems].flatMap(([identity, line]) => (others.has(identity) ? [] : [line]));

function describeChange({ before, after }: RowChange): string | undefined {
  if (after === undefined)
    return before === undefined || before.kind === "other" ? undefined : `${nameOf(before)} is gone`;
  const now = describe(after);
  return before !== undefined && now === describe(before) ? undefined : now;
}

const nameOf = (row: Row): string =>
  row.kind === "gateway" && row.name === row.gateway ? `Gateway ${row.name}` : row.name;

function describe(row: Row): string | undefined {
  switch (row.kind) {
    case "gateway":
      return describeGateway(row);
    case "route":
      return describeRoute(row);
    default:
      return undefined;
  }
}

/** Nothing of a Gateway or ListenerSet that is about to serve, or whose problems say it all. */
function describeGateway(row: GatewayRow): string | undefined {
  const { isServing, listeners } = row;
  if (!isServing) return undefined;
  const serving = listeners.filter((listener) => listener.isServing);
  const parts = serving.map(({ name: listener, url, hostname, note }) => {
    const host = hostname === "*" ? "" : ` for ${hostname}`;
    return `${listener} at ${url}${host}${note === undefined ? "" : ` (${note})`}`;
  });
  return `${nameOf(row)} serves ${parts.join(", ")}`;
}

function describeRoute({ name, gateways, hostnames, isAttached }: RouteRow): string {
  const hosts = hostnames.length === 0 ? "" : ` for ${hostnames.join(", ")}`;
  return isAttached ? `${name} is attached to ${gateways.join(", ")}${hosts}` : `${name} is not attached`;
}
