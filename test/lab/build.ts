// Programs are built once and kept by what they are made from, so that a lab starts in seconds and an old pin is never run.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, mkdir, mkdtemp, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { withLock } from "../../codegen/src/run/lock.ts";
import { userCacheFolder } from "../../operator/src/lib/index.ts";
import { LabError } from "./lab-error.ts";
import { programKey } from "./program-key.ts";
import type { GoProgram } from "./programs.ts";

export type BuildOptions = {
  readonly report: (line: string) => void;
  /** Where built programs are kept; a folder of the user's cache unless given. */
  readonly cacheFolder?: string;
  /** How often a build that goes on says so. */
  readonly pulseMs?: number;
};

/** Of a program that has been changed often, so many are kept: another checkout may use an older one. */
const keptVersions = 3;

export const defaultCacheFolder = (): string => path.join(userCacheFolder(), "lab");

/** Says where a program stands or would stand, and whether it has been built. */
export async function findProgram(
  program: GoProgram,
  cacheFolder = defaultCacheFolder(),
): Promise<{ readonly path: string; readonly built: boolean }> {
  const file = path.join(cacheFolder, program.name, await programKey(program), program.name);
  const built = await access(file).then(
    () => true,
    () => false,
  );
  return { path: file, built };
}

/** The path of each program, which is built unless it has been before. */
export async function buildPrograms<const Name extends string>(
  programs: readonly (GoProgram & { readonly name: Name })[],
  options: BuildOptions,
): Promise<Readonly<Record<Name, string>>> {
  const cacheFolder = options.cacheFolder ?? defaultCacheFolder();
  const found = new Map<GoProgram, { readonly path: string; readonly built: boolean }>();
  for (const program of programs) found.set(program, await findProgram(program, cacheFolder));
  const missing = programs.filter((program) => found.get(program)?.built !== true);
  if (missing.length > 0) {
    const minutes = missing.reduce((sum, { coldMinutes }) => sum + coldMinutes, 0);
    options.report(
      `building ${missing.map(({ name }) => name).join(", ")} into ${cacheFolder}, once: up to ${minutes} minutes where nothing has been compiled before`,
    );
    const waiting = (pid: number) => options.report(`waiting for process ${pid}, which builds already`);
    await withLock(path.join(cacheFolder, "build.lock"), waiting, async () => {
      for (const program of missing) {
        const { path: file, built } = await findProgram(program, cacheFolder);
        if (!built) await build(program, file, options);
      }
    });
  }
  const paths: Partial<Record<Name, string>> = {};
  for (const program of programs) paths[program.name] = found.get(program)?.path ?? "";
  return paths as Readonly<Record<Name, string>>;
}

async function build(program: GoProgram, file: string, { report, pulseMs = 15_000 }: BuildOptions): Promise<void> {
  const versions = path.dirname(path.dirname(file));
  await mkdir(versions, { recursive: true });
  await prune(versions);
  // In the same folder as the target, so that the last step is a rename: others see all of it or nothing.
  const work = await mkdtemp(path.join(versions, ".build-"));
  const startedMs = performance.now();
  let compiled = 0;
  let downloaded = 0;
  const soFar = () =>
    `${downloaded === 0 ? "" : `${downloaded} modules fetched, `}${compiled} packages compiled, ${elapsed(startedMs)}`;
  report(`building ${program.name}`);
  const pulse = setInterval(() => report(`building ${program.name}: ${soFar()}`), pulseMs);
  const output: string[] = [];
  try {
    const code = await runGo(program, path.join(work, program.name), (line) => {
      if (line.startsWith("go: downloading")) downloaded += 1;
      // With -v Go names each package that it compiles, and nothing else looks like an import path.
      else if (/^[\w.~+/-]+$/.test(line)) compiled += 1;
      else output.push(line);
    });
    if (code !== 0) throw new LabError(`${program.name} cannot be built:\n${output.slice(-40).join("\n")}`);
    await rename(work, path.dirname(file));
  } finally {
    clearInterval(pulse);
    await rm(work, { recursive: true, force: true });
  }
  report(`built ${program.name}: ${soFar()}`);
}

async function runGo(program: GoProgram, output: string, onLine: (line: string) => void): Promise<number> {
  const verb = program.test === true ? ["test", "-c"] : ["build"];
  const args = [...verb, "-v", "-mod=readonly", ...program.flags, "-o", output, program.package];
  // Building takes all cores for minutes; whatever else runs here goes first.
  const child = spawn("nice", ["-n", "10", "go", ...args], {
    cwd: program.module,
    env: { ...process.env, ...program.environment },
    stdio: ["ignore", "inherit", "pipe"],
  });
  const lines = createInterface({ input: child.stderr }).on("line", onLine);
  const [[code]] = await Promise.all([once(child, "close"), once(lines, "close")]);
  if (code === 127) throw new LabError("Go was not found: install Go 1.26 or newer (https://go.dev/dl/)");
  return typeof code === "number" ? code : 1;
}

/** Removes the oldest versions of a program, and what a build that was ended has left. */
async function prune(versions: string): Promise<void> {
  const names = await readdir(versions);
  const dated = await Promise.all(
    names.map(async (name) => ({ name, usedMs: (await stat(path.join(versions, name))).mtimeMs })),
  );
  const abandoned = dated.filter(({ name }) => name.startsWith("."));
  const finished = dated.filter(({ name }) => !name.startsWith("."));
  const old = finished.toSorted((a, b) => b.usedMs - a.usedMs).slice(keptVersions - 1);
  for (const { name } of [...abandoned, ...old]) await rm(path.join(versions, name), { recursive: true, force: true });
}

/** Marks programs as used, so that they are not the first to be removed. */
export async function touchPrograms(paths: readonly string[]): Promise<void> {
  const now = new Date();
  for (const file of paths) await utimes(path.dirname(file), now, now);
}

const elapsed = (startedMs: number): string => {
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
};
