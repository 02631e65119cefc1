import { spawn } from "node:child_process";
import { LabError } from "./lab-error.ts";

export type CommandResult = { readonly code: number; readonly stdout: string; readonly stderr: string };

export type CommandOptions = {
  readonly input?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal;
};

/** Runs a command to its end, whatever that is. Fails only if it cannot be started. */
export const runCommand = (
  command: readonly string[],
  { input = "", env, signal }: CommandOptions = {},
): Promise<CommandResult> =>
  new Promise((resolve, reject) => {
    const [program = "", ...args] = command;
    const child = spawn(program, args, { ...(env && { env }), ...(signal && { signal }) });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? 1, stdout, stderr }));
    // One that ends before it has read its input closes the pipe.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });

/** Runs a command that must succeed, and gives what it printed. */
export async function mustRun(command: readonly string[], options: CommandOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await runCommand(command, options);
  if (code !== 0) throw new LabError(`${command.join(" ")}: ${stderr.trim() || `exit code ${code}`}`);
  return stdout;
}
