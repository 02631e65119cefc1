import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";

/** Where this user's copies of what can be had again are kept: `$GATEWRIGHT_CACHE`, else the cache folder as the system has it. */
export function userCacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  if (env["GATEWRIGHT_CACHE"]) return resolve(env["GATEWRIGHT_CACHE"]);
  // The XDG specification says that a relative path is to be ignored.
  const xdg = env["XDG_CACHE_HOME"];
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, "gatewright");
  const home = env["HOME"] ?? homedir();
  return process.platform === "darwin"
    ? join(home, "Library", "Caches", "gatewright")
    : join(home, ".cache", "gatewright");
}
