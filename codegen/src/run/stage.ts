import { mkdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";

/** A place beside the real one, in which the outputs of a step grow until they are whole. */
export type Stage = {
  /** Where to write an output, or what is below one. */
  readonly place: (output: string) => string;
  /** Puts everything staged in place of the real outputs. */
  readonly commit: () => Promise<void>;
  readonly discard: () => Promise<void>;
};

/** Creates an empty stage below `folder`, which must be on the same file system as `root`. */
export const createStage = async (root: string, folder: string, outputs: readonly string[]): Promise<Stage> => {
  const fresh = path.join(folder, "new");
  const old = path.join(folder, "old");
  const used = new Set<string>();
  await rm(folder, { recursive: true, force: true });
  return {
    place: (output) => {
      const owner = outputs.find((candidate) => output === candidate || output.startsWith(`${candidate}/`));
      if (owner === undefined) throw new Error(`${output} is not an output of this step`);
      used.add(owner);
      return path.join(fresh, output);
    },
    commit: async () => {
      for (const output of used) {
        const target = path.join(root, output);
        const source = path.join(fresh, output);
        await mkdir(path.dirname(target), { recursive: true });
        await mkdir(path.dirname(path.join(old, output)), { recursive: true });
        if (await exists(target)) await rename(target, path.join(old, output));
        if (await exists(source)) await rename(source, target);
      }
      await rm(folder, { recursive: true, force: true });
    },
    discard: () => rm(folder, { recursive: true, force: true }),
  };
};

const exists = (file: string) =>
  stat(file).then(
    () => true,
    () => false,
  );
