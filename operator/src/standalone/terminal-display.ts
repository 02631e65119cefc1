import type { Problem } from "../overview/index.ts";
import type { Board } from "./board.ts";
import type { Display } from "./display.ts";
import { renderTable } from "./table.ts";

/** What is needed of a terminal; `process.stdout` is one. */
export type Terminal = {
  readonly columns: number;
  readonly rows: number;
  readonly write: (text: string) => unknown;
  readonly on: (event: "resize", listener: () => void) => unknown;
  readonly off: (event: "resize", listener: () => void) => unknown;
};

export type TerminalDisplay = Display & {
  /** Writes a line above the table. */
  readonly log: (line: string) => void;
};

export type TerminalDisplayOptions = {
  readonly terminal: Terminal;
  readonly board: () => Board;
  readonly title: () => string;
  readonly color: boolean;
  /** The table is drawn anew at most this often. */
  readonly intervalMs?: number;
};

const clearBelow = "\u001B[0J";
const up = (lines: number) => (lines > 0 ? `\u001B[${lines}A` : "");

/** A table that is drawn again in its place; log lines scroll away above it. */
export function createTerminalDisplay({
  terminal,
  board,
  title,
  color,
  intervalMs = 100,
}: TerminalDisplayOptions): TerminalDisplay {
  let drawn = 0;
  let timer: NodeJS.Timeout | undefined;
  let fileProblems: readonly Problem[] = [];

  function erase(): string {
    const text = `${up(drawn)}\r${clearBelow}`;
    drawn = 0;
    return text;
  }

  function table(): string {
    const lines = renderTable({
      title: title(),
      gateways: board().gateways(),
      routes: board().routes(),
      problems: [...fileProblems, ...board().problems()],
      size: { columns: terminal.columns, rows: terminal.rows },
      color,
    });
    drawn = lines.length + 1;
    return `\n${lines.join("\n")}\n`;
  }

  function draw(): void {
    clearTimeout(timer);
    timer = undefined;
    const before = erase();
    terminal.write(before + table());
  }

  const schedule = () => {
    timer ??= setTimeout(draw, intervalMs);
  };
  terminal.on("resize", schedule);

  return {
    show: (changes) => {
      if (changes.length > 0) schedule();
    },
    showFileProblems: (problems) => {
      fileProblems = problems;
      schedule();
    },
    log: (line) => {
      const hadTable = drawn > 0;
      const before = erase();
      terminal.write(before + line + (hadTable ? table() : ""));
    },
    close: () => {
      terminal.off("resize", schedule);
      if (timer !== undefined) draw();
      // What is written from now on comes below the last table.
      drawn = 0;
    },
  };
}
