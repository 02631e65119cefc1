import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { goBuildFlags, goEnvironment } from "../../codegen/src/go/go.ts";
import type { Case } from "./corpus.ts";

const binary = join(import.meta.dirname, "../../.cache/oracle");

/** Builds the oracle. Go's own cache makes that quick where nothing has changed; with codegen's flags they share what is compiled. */
export function buildOracle(): void {
  mkdirSync(join(binary, ".."), { recursive: true });
  run("go", ["build", ...goBuildFlags, "-o", binary, "."], "");
}

/** What `ValidateAll()` says of each message: `valid`, or `invalid` with the reasons. */
export function judge(cases: readonly Case[]): readonly string[] {
  const input = cases.map(({ typeName, bytes }) => `${typeName} ${Buffer.from(bytes).toString("base64")}\n`).join("");
  return run(binary, [], input).trimEnd().split("\n");
}

function run(command: string, args: readonly string[], input: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: import.meta.dirname,
    env: { ...process.env, ...goEnvironment },
    input,
    maxBuffer: 2 ** 30,
    encoding: "utf8",
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${stderr}`);
  return stdout;
}
