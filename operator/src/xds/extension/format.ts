import { formatCommands } from "./format-commands.ts";

const token = /%%|%([A-Z0-9_]+)(?:\(([^)]*)\))?(?::(\d+))?%|[^%]+/y;

/**
 * Says what is wrong with a value in which Envoy replaces commands such as `%REQ(x-a)%`. Envoy refuses a whole route table for
 * one bad command.
 */
export function formatProblem(text: string): string | undefined {
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const start = token.lastIndex;
    const match = token.exec(text);
    if (match === null)
      return `has no valid command at ${JSON.stringify(text.slice(start, start + 20))}; write %% for a percent sign`;
    const [, command, parameter, length] = match;
    const problem = command === undefined ? undefined : commandProblem(command, parameter, length);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function commandProblem(name: string, parameter: string | undefined, length: string | undefined): string | undefined {
  const form = formatCommands.get(name);
  if (form === undefined) return `has the command %${name}%, which is unknown or may not be used here`;
  if (length !== undefined && !form.length) return `gives a length to %${name}%, which takes none`;
  if (form.parameter === "none")
    return parameter === undefined ? undefined : `gives a parameter to %${name}%, which takes none`;
  const { pattern, required, form: wanted } = form.parameter;
  if (parameter === undefined) return required ? `must give %${name}% ${wanted}` : undefined;
  return pattern.test(parameter) ? undefined : `must give %${name}% ${wanted}`;
}
