import { stripVTControlCharacters, styleText } from "node:util";
import { formatProblem, type GatewayRow, type Problem, type RouteRow } from "../overview/index.ts";

export type TableInput = {
  /** Above the table, for example what is watched. */
  readonly title: string;
  readonly gateways: readonly GatewayRow[];
  readonly routes: readonly RouteRow[];
  /** All problems, those of the rows included. */
  readonly problems: readonly Problem[];
  readonly size: { readonly columns: number; readonly rows: number };
  readonly color: boolean;
};

type Style = Parameters<typeof styleText>[0];

/** The overview as lines that fit the terminal: what does not fit is counted. */
export function renderTable({ title, gateways, routes, problems, size, color }: TableInput): readonly string[] {
  const paint = (style: Style, text: string) => (color ? styleText(style, text, { validateStream: false }) : text);
  const state = (isGood: boolean, text: string) => paint(isGood ? "green" : "yellow", text);

  const gatewayLines = gateways.flatMap(({ name, listeners, isServing, state: words }) =>
    listeners.length === 0
      ? [[name, "", "", "", "", state(isServing, words)]]
      : listeners.map((listener, index) => [
          index === 0 ? name : "",
          listener.name,
          listener.url ?? "-",
          listener.hostname,
          String(listener.routes),
          state(listener.isServing, listenerState(listener, words)),
        ]),
  );
  const routeLines = routes.map(({ name, gateways: parents, hostnames, isAttached, problems: own }) => [
    name,
    parents.join(", "),
    hostnames.length === 0 ? "*" : hostnames.join(", "),
    !isAttached ? state(false, "not attached") : own.length > 0 ? state(false, "in part") : state(true, "attached"),
  ]);
  const problemLines = problems.map(
    (problem) => `${problem.isWarning ? paint("yellow", "!") : paint("red", "✗")} ${formatProblem(problem)}`,
  );

  // The title, a blank line before each part and the parts' own heads are always there.
  const room = Math.max(6, size.rows - 9 - (problems.length > 0 ? 2 : 0));
  const forProblems = Math.min(problemLines.length, Math.max(2, Math.floor(room / 3)));
  const forGateways = Math.min(gatewayLines.length, Math.max(2, Math.floor((room - forProblems) / 2)));
  const forRoutes = Math.max(1, room - forProblems - forGateways);

  const head = (names: readonly string[]) => names.map((name) => paint("dim", name));
  const lines = [
    paint("bold", title),
    "",
    ...(gatewayLines.length === 0
      ? [paint("dim", "no Gateways of ours yet")]
      : [
          ...columns([
            head(["GATEWAY", "LISTENER", "ADDRESS", "HOST", "ROUTES", "STATE"]),
            ...gatewayLines.slice(0, forGateways),
          ]),
          ...more(gatewayLines.length - forGateways, "listeners"),
        ]),
    "",
    ...(routeLines.length === 0
      ? [paint("dim", "no routes yet")]
      : [
          ...columns([head(["ROUTE", "GATEWAY", "HOST NAMES", "STATE"]), ...routeLines.slice(0, forRoutes)]),
          ...more(routeLines.length - forRoutes, "routes"),
        ]),
    ...(problemLines.length === 0
      ? []
      : [
          "",
          paint("dim", `PROBLEMS (${problems.length})`),
          ...problemLines.slice(0, forProblems),
          ...more(problemLines.length - forProblems, "problems"),
        ]),
  ];
  return lines.map((line) => cut(line, size.columns));

  function more(count: number, what: string): string[] {
    return count > 0 ? [paint("dim", `… and ${count} more ${what}`)] : [];
  }
}

function listenerState({ isServing, note, url }: GatewayRow["listeners"][number], gatewayState: string): string {
  const words = isServing ? "serving" : gatewayState === "serving" || url === undefined ? "not serving" : gatewayState;
  return note === undefined ? words : `${words}; ${note}`;
}

function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => width(row[column] ?? ""))));
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === row.length - 1 ? cell : cell + " ".repeat((widths[column] ?? 0) - width(cell)),
      )
      .join("  ")
      .trimEnd(),
  );
}

const width = (text: string): number => stripVTControlCharacters(text).length;

/** Cuts to the terminal's width: a line that wraps would upset the count of lines. */
function cut(line: string, columnCount: number): string {
  if (width(line) <= columnCount) return line;
  return `${stripVTControlCharacters(line).slice(0, Math.max(1, columnCount - 1))}…`;
}
