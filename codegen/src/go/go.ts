import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { CodegenError } from "../step.ts";

/** The Go toolchain that the modules ask for; an older `go` fetches it. */
export const goToolchain = "go1.27.3";

/**
 * What is set whenever Go runs. Without cgo nothing that is read depends on a C compiler; a workspace of the user's own would
 * change the versions.
 */
export const goEnvironment = { GOTOOLCHAIN: goToolchain, CGO_ENABLED: "0", GOWORK: "off" };

/**
 * Flags for all that compiles Go. On a fresh machine everything down to the standard library is compiled, and without
 * inlining that takes a third less: half a minute, for a second more in each run. With the same flags all share the result.
 */
export const goBuildFlags: readonly string[] = ["-gcflags=all=-l"];

export type CommandResult = { readonly exitCode: number; readonly stdout: string; readonly stderr: string };

/**
 * Runs a command with our Go toolchain in its environment.
 *
 * Each line that it prints to standard error is reported as it comes. Fails only if the command cannot be started.
 */
export const runWithGo = (
  command: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly input?: string; readonly report?: (line: string) => void },
): Promise<CommandResult> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: options.cwd, env: { ...process.env, ...goEnvironment } });
    const stdout: string[] = [];
    const stderr: string[] = [];
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => stdout.push(chunk));
    createInterface({ input: child.stderr }).on("line", (line) => {
      stderr.push(line);
      options.report?.(line);
    });
    child.on("error", (error: NodeJS.ErrnoException) => {
      reject(error.code === "ENOENT" ? new CodegenError(missing(command)) : error);
    });
    child.on("close", (exitCode) => {
      resolve({ exitCode: exitCode ?? 1, stdout: stdout.join(""), stderr: stderr.join("\n") });
    });
    // A command that ends before it has read its input closes the pipe; its exit code tells why.
    child.stdin.on("error", () => {});
    child.stdin.end(options.input ?? "");
  });

const missing = (command: string) =>
  command === "go"
    ? `Go was not found. The API types are read from Go sources: install Go 1.26 or newer (https://go.dev/dl/); it fetches ${goToolchain} by itself.`
    : `${command} was not found.`;

/** Compiles one of the commands of the Go module in `moduleFolder` to the file `binary`. Does little if it is up to date. */
export const buildGoCommand = async (
  moduleFolder: string,
  command: string,
  binary: string,
  report: (line: string) => void,
): Promise<void> => {
  let downloads = 0;
  const result = await runWithGo("go", ["build", ...goBuildFlags, "-o", binary, `./cmd/${command}`], {
    cwd: moduleFolder,
    report: (line) => {
      if (line.startsWith("go: downloading") && downloads++ === 0) report("downloading Go modules …");
    },
  });
  if (result.exitCode !== 0) throw new CodegenError(`${command} cannot be built:\n${result.stderr}`);
};
