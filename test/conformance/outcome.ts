// What `go tool test2json` prints, as outcomes of the suite's tests: https://pkg.go.dev/cmd/test2json#hdr-Output_Format

/** One line of it. */
export type TestEvent = {
  readonly Action: string;
  readonly Test?: string;
  readonly Elapsed?: number;
  readonly Output?: string;
};

export type Outcome = {
  readonly name: string;
  readonly result: "passed" | "failed" | "skipped";
  readonly seconds: number;
  /** Parts of it that failed, each by its path within the test. */
  readonly failedParts: readonly string[];
  /** What it and its parts printed, in order. */
  readonly output: readonly string[];
};

/** How many lines of a test are kept; a test that says more has said the same before. */
const keptLines = 4000;

const results = { pass: "passed", fail: "failed", skip: "skipped" } as const;
type Running = { readonly output: string[]; readonly failedParts: string[] };

/**
 * Reads events one after the other. Tells the outcome of a test as soon as it has ended. What stands outside of tests (setting up,
 * and what made the program end) is in `rest`.
 */
export function createOutcomes(tell: (outcome: Outcome) => void) {
  const running = new Map<string, Running>();
  const rest: string[] = [];
  const outcomes: Outcome[] = [];
  let suite: "passed" | "failed" | "skipped" | undefined;

  const add = (event: TestEvent): void => {
    // TestConformance/NAME/PART/PART
    const [, name, ...part] = event.Test?.split("/") ?? [];
    const text = event.Output?.replace(/\n$/, "");
    const action = event.Action;
    if (name === undefined) {
      if (text !== undefined) keep(rest, text);
      if (event.Test !== undefined && isResult(action)) suite = results[action];
      return;
    }
    const test = running.get(name) ?? { output: [], failedParts: [] };
    running.set(name, test);
    if (text !== undefined) keep(test.output, text);
    if (!isResult(action)) return;
    if (part.length > 0) {
      if (action === "fail") test.failedParts.push(part.join("/"));
      return;
    }
    running.delete(name);
    const outcome = { name, result: results[action], seconds: event.Elapsed ?? 0, ...test };
    outcomes.push(outcome);
    tell(outcome);
  };
  return {
    /** Takes a line of the tool. */
    addLine: (line: string): void => {
      if (line.startsWith("{")) add(JSON.parse(line) as TestEvent);
    },
    outcomes,
    rest,
    /** Of the whole, once it has ended by itself. */
    suite: () => suite,
    /** Tests that have begun and not ended. */
    unfinished: () => [...running.keys()],
    /** What goes on, for those who see nothing happen: the tests that run, or what was said last where none does. */
    present: (): string => {
      if (running.size === 0) return `setting up or ending: ${lastWords(rest, 1).join("").trim()}`;
      const names = [...running.keys()];
      const more = names.length > 4 ? ` and ${names.length - 4} more` : "";
      return `running: ${names.slice(0, 4).join(", ")}${more}`;
    },
  };
}

const isResult = (action: string): action is keyof typeof results => Object.hasOwn(results, action);

function keep(lines: string[], line: string): void {
  lines.push(line);
  if (lines.length > keptLines) lines.splice(0, lines.length - keptLines);
}

/**
 * What a failed test says about why: its last lines, without those by which Go tells where it is. Of lines in a row that differ only in
 * numbers (something that is waited for is told ten times a second) only the last.
 */
export function lastWords(output: readonly string[], count = 15): readonly string[] {
  const said = output.filter((line) => !/^\s*(=== |--- )/.test(line) && line.trim() !== "");
  const shapes = said.map((line) => line.replaceAll(/\d+/g, "0"));
  return said.filter((_, i) => shapes[i] !== shapes[i + 1]).slice(-count);
}

/** Why a test was skipped, if it says so. */
export function skipReason(output: readonly string[]): string | undefined {
  const [, reason] = output.map((text) => /Skipping \w+: (.*)/.exec(text)).findLast((match) => match !== null) ?? [];
  return reason?.trim();
}
