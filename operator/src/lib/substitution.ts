import { formatCommands, logCommands, unsupportedCommands } from "./substitution-commands.ts";

const token = /%%|%([A-Z0-9_]+)(?:\(([^)]*)\))?(?::(\d+))?%|[^%]+/y;

/** Where a text stands: in a header that some team of users writes, or in an access log, which is the administrator's. */
export type FormatPlace = "header" | "log";

export type FormatProblem = {
  readonly reason: "RefusedByEnvoy" | "NotSupported";
  readonly message: string;
};

/**
 * Says what is wrong with a value in which Envoy replaces commands such as `%REQ(x-a)%`. Envoy refuses a whole route table, or a
 * listener, for one bad command.
 */
export function formatProblem(text: string, place: FormatPlace = "header"): FormatProblem | undefined {
  const scan = new RegExp(token);
  while (scan.lastIndex < text.length) {
    const start = scan.lastIndex;
    const match = scan.exec(text);
    if (match === null)
      return refused(
        `has no valid command at ${JSON.stringify(text.slice(start, start + 20))}; write %% for a percent sign`,
      );
    const [, command, parameter, length] = match;
    const problem = command === undefined ? undefined : commandProblem(command, parameter, length, place);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function commandProblem(
  name: string,
  parameter: string | undefined,
  length: string | undefined,
  place: FormatPlace,
): FormatProblem | undefined {
  const form = formatCommands.get(name) ?? (place === "log" ? logCommands.get(name) : undefined);
  if (form === undefined && (unsupportedCommands.has(name) || logCommands.has(name)))
    return { reason: "NotSupported", message: `may not have the command %${name}%` };
  if (form === undefined) return refused(`has the unknown command %${name}%`);
  if (length !== undefined && !form.length) return refused(`gives a length to %${name}%, which takes none`);
  if (form.parameter === "none") {
    return parameter === undefined ? undefined : refused(`gives a parameter to %${name}%, which takes none`);
  }
  const { pattern, required, form: wanted } = form.parameter;
  const fits = parameter === undefined ? !required : pattern.test(parameter);
  return fits ? undefined : refused(`must give %${name}% ${wanted}`);
}

const refused = (message: string): FormatProblem => ({ reason: "RefusedByEnvoy", message });
