import type { ExtensionProblemReason } from "./problem.ts";
import { formatCommands, unsupportedCommands } from "./format-commands.ts";

const token = /%%|%([A-Z0-9_]+)(?:\(([^)]*)\))?(?::(\d+))?%|[^%]+/y;

export type FormatProblem = {
  readonly reason: Extract<ExtensionProblemReason, "RefusedByEnvoy" | "NotSupported">;
  readonly message: string;
};

/**
 * Says what is wrong with a value in which Envoy replaces commands such as `%REQ(x-a)%`. Envoy refuses a whole route table for
 * one bad command.
 */
export function formatProblem(text: string): FormatProblem | undefined {
  const scan = new RegExp(token);
  while (scan.lastIndex < text.length) {
    const start = scan.lastIndex;
    const match = scan.exec(text);
    if (match === null)
      return refused(
        `has no valid command at ${JSON.stringify(text.slice(start, start + 20))}; write %% for a percent sign`,
      );
    const [, command, parameter, length] = match;
    const problem = command === undefined ? undefined : commandProblem(command, parameter, length);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function commandProblem(
  name: string,
  parameter: string | undefined,
  length: string | undefined,
): FormatProblem | undefined {
  if (unsupportedCommands.has(name)) return { reason: "NotSupported", message: `may not have the command %${name}%` };
  const form = formatCommands.get(name);
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
