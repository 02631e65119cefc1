import { stat } from "node:fs/promises";
import path from "node:path";

/** The folder of the Go module to which a folder belongs, by its absolute path; undefined where it belongs to none. */
export async function moduleRoot(folder: string): Promise<string | undefined> {
  const isHere = await stat(path.join(folder, "go.mod")).then(
    () => true,
    () => false,
  );
  if (isHere) return folder;
  const parent = path.dirname(folder);
  return parent === folder ? undefined : moduleRoot(parent);
}
