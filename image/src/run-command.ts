import { spawn } from "node:child_process";
import { ImageError } from "./image-error.ts";

/** Runs a command that must succeed, and gives what it printed. */
export const mustRun = (command: readonly string[], cwd: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const [program = "", ...args] = command;
    const child = spawn(program, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve(stdout);
      // npm says what is wrong on standard error, the compiler on standard output.
      else reject(new ImageError(`${command.join(" ")} failed:\n${`${stdout}${stderr}`.trim()}`));
    });
  });
