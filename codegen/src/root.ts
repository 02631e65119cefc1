import path from "node:path";

/** The root of the repository. */
export const root = path.resolve(import.meta.dirname, "../..");

/** Where codegen keeps what can always be made again: binaries, and the hashes that tell what is up to date. */
export const cacheFolder = path.join(root, ".cache/codegen");
