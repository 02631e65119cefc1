// Checks our Go modules as `npm run check:go`: the format of all files, and what `go vet` finds.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { goBuildFlags, goEnvironment } from "../../codegen/src/go/go.ts";

const root = path.resolve(import.meta.dirname, "../..");
const goModules = ["crd-types/go", "codegen/go", "test/oracle"];

// As codegen compiles Go, so that the two share the result.
const env = { ...process.env, ...goEnvironment };

type Result = { readonly ok: boolean; readonly stdout: string; readonly output: string };

const run = (command: string, args: readonly string[], cwd: string): Result => {
  const result = spawnSync(command, args, { cwd, env, encoding: "utf8" });
  if (result.error !== undefined) {
    const missing = "code" in result.error && result.error.code === "ENOENT";
    const output = missing
      ? `${command} was not found: install Go 1.26 or newer (https://go.dev/dl/)`
      : String(result.error);
    return { ok: false, stdout: "", output };
  }
  // What Go downloads on its first run it says on standard error.
  return { ok: result.status === 0, stdout: result.stdout.trim(), output: `${result.stdout}${result.stderr}`.trim() };
};

const indented = (text: string) => text.replaceAll(/^/gm, "  ");

let failures = 0;
const fail = (line: string, details: string) => {
  failures += 1;
  console.error(`${line}\n${indented(details)}`);
};

for (const module of goModules) {
  const cwd = path.join(root, module);
  // gofmt of the toolchain that the modules name: that of an older Go may differ.
  const goRoot = run("go", ["env", "GOROOT"], cwd);
  if (!goRoot.ok) {
    fail(`${module}: Go cannot be run`, goRoot.output);
    break;
  }
  const format = run(path.join(goRoot.stdout, "bin/gofmt"), ["-l", "."], cwd);
  if (!format.ok) fail(`${module}: gofmt cannot be run`, format.output);
  else if (format.stdout !== "") fail(`${module}: these files are not formatted, run gofmt -w`, format.stdout);

  const vet = run("go", ["vet", ...goBuildFlags, "./..."], cwd);
  if (!vet.ok) fail(`${module}: go vet found`, vet.output);
}

if (failures === 0) console.log(`Go: ${goModules.join(", ")} are formatted and pass go vet`);
process.exitCode = failures === 0 ? 0 : 1;
