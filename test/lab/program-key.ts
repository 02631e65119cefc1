import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import type { GoProgram } from "./programs.ts";

/** Names a program by all that it is made from: it changes with every pin, and with the program's own sources. */
export async function programKey(program: GoProgram): Promise<string> {
  const hash = createHash("sha256");
  const recipe = [program.package, program.test === true, program.flags, program.environment, process.arch];
  hash.update(JSON.stringify(recipe));
  const files = ["go.mod", "go.sum", ...(program.own === true ? await goFiles(program) : [])];
  for (const file of files) {
    hash.update(`\0${file}\0`);
    hash.update(await readFile(path.join(program.module, file)));
  }
  return hash.digest("hex").slice(0, 16);
}

async function goFiles({ module, test }: GoProgram): Promise<string[]> {
  const all = await readdir(module, { recursive: true });
  return all.filter((file) => file.endsWith(".go") && (test === true || !file.endsWith("_test.go"))).toSorted();
}
