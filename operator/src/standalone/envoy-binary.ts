import { execFile, type ExecFileException } from "node:child_process";
import { delimiter, join, resolve } from "node:path";
import { existsSync } from "node:fs";
import { userCacheFolder } from "../lib/index.ts";
import { envoyVersion } from "./envoy-pin.ts";
import { fetchEnvoy } from "./envoy-fetch.ts";

export type EnvoyResolution =
  | {
      readonly kind: "found";
      readonly path: string;
      /** For example `1.40.0`. */
      readonly version: string;
      readonly origin: "option" | "environment" | "path" | "cache";
      /** Set where the version is not the one that we are made for. */
      readonly warning?: string;
    }
  /** `message` says what was tried and what a person can do. */
  | { readonly kind: "unavailable"; readonly message: string };

export type ResolveEnvoyOptions = {
  /** What the user named (`--envoy`). */
  readonly path?: string | undefined;
  readonly env?: NodeJS.ProcessEnv;
  /** Where fetched binaries are kept; the user's cache folder unless given. */
  readonly cacheDir?: string;
  /** Look only at what is here already. */
  readonly offline?: boolean;
  /** Progress, a line at a time. */
  readonly report?: (line: string) => void;
};

/**
 * Finds an Envoy to run: the one that the user names, `$GATEWRIGHT_ENVOY`, one of our version on the path, or the pinned one from the cache, where it
 * is put on first use. What the user names is taken whatever its version; what merely lies on the path is not.
 */
export async function resolveEnvoy(options: ResolveEnvoyOptions = {}): Promise<EnvoyResolution> {
  const env = options.env ?? process.env;
  if (options.path !== undefined) return chosen(resolve(options.path), "option", "--envoy");
  const fromEnv = env["GATEWRIGHT_ENVOY"];
  if (fromEnv) return chosen(resolve(fromEnv), "environment", "GATEWRIGHT_ENVOY");

  let skipped = "";
  const onPath = findOnPath("envoy", env);
  if (onPath !== undefined) {
    const probe = await probeVersion(onPath);
    if (probe.kind === "version" && probe.version === envoyVersion)
      return { kind: "found", path: onPath, version: probe.version, origin: "path" };
    skipped = `\n${onPath} was not taken: ${probe.kind === "version" ? `it is version ${probe.version}` : probe.message}.`;
  }

  const fetched = await fetchEnvoy({
    cacheDir: options.cacheDir ?? userCacheFolder(env),
    env,
    report: options.report ?? (() => undefined),
    offline: options.offline ?? false,
    check: async (path) => {
      const probe = await probeVersion(path);
      return probe.kind === "version" ? undefined : probe.message;
    },
  });
  if (fetched.kind === "unavailable") return { kind: "unavailable", message: `${fetched.message}${skipped}` };
  return { kind: "found", path: fetched.path, version: envoyVersion, origin: "cache" };
}

async function chosen(path: string, origin: "option" | "environment", name: string): Promise<EnvoyResolution> {
  const probe = await probeVersion(path);
  if (probe.kind === "failed")
    return { kind: "unavailable", message: `The Envoy named by ${name} cannot be used: ${probe.message}.` };
  const { version } = probe;
  if (version === envoyVersion) return { kind: "found", path, version, origin };
  const warning = `Envoy ${version} from ${name} is not ${envoyVersion}, the version that Gatewright is tested with`;
  return { kind: "found", path, version, origin, warning };
}

type VersionProbe =
  | { readonly kind: "version"; readonly version: string }
  | { readonly kind: "failed"; readonly message: string };

/** Runs `envoy --version`; the sure way to know that a binary runs here. */
export function probeVersion(path: string): Promise<VersionProbe> {
  return new Promise((done) => {
    execFile(path, ["--version"], { timeout: 20_000 }, (error, stdout, stderr) => {
      // `<path>  version: <commit>/1.40.0/Clean/RELEASE/BoringSSL`; a path may look like a version too.
      const version = /version: [^/\s]*\/(\d+\.\d+\.\d+[^/\s]*)\//.exec(stdout)?.[1];
      if (version !== undefined) return done({ kind: "version", version });
      done({ kind: "failed", message: error === null ? `${path} is not Envoy` : explain(path, error, stderr) });
    });
  });
}

function explain(path: string, error: ExecFileException, stderr: string): string {
  switch (error.code) {
    case "ENOENT":
      // The loader that a binary names may be what is missing, as on systems without glibc.
      return existsSync(path) ? `${path} needs a system library that is not here (glibc)` : `there is no file ${path}`;
    case "EACCES":
      return `${path} may not be executed: it lacks the permission, or its file system is mounted noexec`;
    case "ENOEXEC":
      return `${path} is not a program for this system (${process.platform} ${process.arch})`;
    default: {
      const words = stderr.trim().split("\n").at(-1);
      return `${path} --version failed: ${words === undefined || words === "" ? error.message : words}`;
    }
  }
}

function findOnPath(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}
