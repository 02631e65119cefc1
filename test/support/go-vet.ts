// Checks our Go modules as `npm run check:go`: the format of all files, what `go vet` finds, and the tests of the lab's node.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { goBuildFlags, goEnvironment } from "../../codegen/src/go/go.ts";
import { userCacheFolder } from "../../operator/src/lib/cache-folder.ts";

type Module = {
  readonly folder: string;
  /** Packages that are checked and tested everywhere; all that the module has where this is left out. */
  readonly light?: readonly string[];
  /** Whether it has tests that can be run here. */
  readonly tests?: true;
};

const root = path.resolve(import.meta.dirname, "../..");

/**
 * What the lab needs of Kubernetes takes a minute and a half to be looked through for the first time. That is spent where the lab has
 * been built, by those who work with it, and where it is asked for; elsewhere on what needs none of it.
 */
const withLab = process.env["GATEWRIGHT_LAB"] === "1" || existsSync(path.join(userCacheFolder(), "lab", "node"));

const goModules: readonly Module[] = [
  { folder: "crd-types/go" },
  { folder: "codegen/go" },
  { folder: "test/oracle" },
  {
    folder: "test/lab/node",
    light: ["./internal/addresses", "./internal/container", "./internal/images"],
    tests: true,
  },
  { folder: "test/conformance/suite", light: [] },
];

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

const partly: string[] = [];
for (const { folder, light, tests } of goModules) {
  const cwd = path.join(root, folder);
  // gofmt of the toolchain that the modules name: that of an older Go may differ.
  const goRoot = run("go", ["env", "GOROOT"], cwd);
  if (!goRoot.ok) {
    fail(`${folder}: Go cannot be run`, goRoot.output);
    break;
  }
  const format = run(path.join(goRoot.stdout, "bin/gofmt"), ["-l", "."], cwd);
  if (!format.ok) fail(`${folder}: gofmt cannot be run`, format.output);
  else if (format.stdout !== "") fail(`${folder}: these files are not formatted, run gofmt -w`, format.stdout);

  const packages = withLab || light === undefined ? ["./..."] : light;
  if (packages === light) partly.push(folder);
  if (packages.length === 0) continue;
  const vet = run("go", ["vet", ...goBuildFlags, ...packages], cwd);
  if (!vet.ok) fail(`${folder}: go vet found`, vet.output);
  if (tests !== true) continue;
  const test = run("go", ["test", "-vet=off", ...goBuildFlags, ...packages], cwd);
  if (!test.ok) fail(`${folder}: these tests failed`, test.output);
}

if (failures === 0) {
  const all = goModules.map(({ folder }) => folder).join(", ");
  const rest = partly.length === 0 ? "" : ` (${partly.join(" and ")} in part: the lab has not been built here)`;
  console.log(`Go: ${all} are formatted, pass go vet and their tests${rest}`);
}
process.exitCode = failures === 0 ? 0 : 1;
