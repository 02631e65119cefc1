// Results of a run: a folder with a file of the machine and one for each cell, so that what has been measured is there whatever comes
// after, and a run goes on where it ended.
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { cpus, release, totalmem } from "node:os";
import path from "node:path";
import { round } from "../statistics.ts";
import type { Cell } from "./cell.ts";

/** Where the run took place and what was run. */
export type Machine = {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly linux: string;
  readonly date: string;
  readonly command: string;
  /** Of everything that took part. */
  readonly versions: Readonly<Record<string, string>>;
};

export type Results = { readonly machine: Machine; readonly cells: readonly Cell[] };

export type ResultFolder = {
  readonly kept: (cell: Pick<Cell, "side" | "round" | "routes">) => Promise<Cell | undefined>;
  readonly keep: (cell: Cell) => Promise<void>;
};

export const thisMachine = (command: string, versions: Readonly<Record<string, string>>): Machine => ({
  processor: cpus()[0]?.model ?? "unknown",
  cores: cpus().length,
  memoryGiB: round(totalmem() / 1024 ** 3, 0),
  linux: release(),
  date: new Date().toISOString(),
  command,
  versions: { node: process.version, ...versions },
});

const machineFile = "machine.json";
const cellFile = (cell: Pick<Cell, "side" | "round" | "routes">): string =>
  `cell-${cell.round}-${cell.routes}-${cell.side}.json`;

/** With what the results that are there were measured. */
export const machineOf = (folder: string): Promise<Machine | undefined> =>
  readJson<Machine>(path.join(folder, machineFile));

/** Opens the folder to write. Fails if it has results of another machine or of other versions, which one table cannot hold. */
export async function openResults(folder: string, machine: Machine, isFresh: boolean): Promise<ResultFolder> {
  if (isFresh) await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const before = await machineOf(folder);
  if (before === undefined) await writeJson(path.join(folder, machineFile), machine);
  else {
    const same = ({ processor, cores, linux, versions }: Machine) =>
      JSON.stringify([processor, cores, linux, versions]);
    if (same(before) !== same(machine))
      throw new Error(
        `${folder} has results of ${same(before)}, and this is ${same(machine)}: --fresh deletes them, --out names another folder`,
      );
  }
  return {
    kept: (cell) => readJson<Cell>(path.join(folder, cellFile(cell))),
    keep: (cell) => writeJson(path.join(folder, cellFile(cell)), rounded(cell)),
  };
}

/** All that was kept in these folders; a folder that is no run's is an error. */
export async function readResults(folders: readonly string[]): Promise<readonly Results[]> {
  return await Promise.all(
    folders.map(async (folder) => {
      const machine = await machineOf(folder);
      if (machine === undefined) throw new Error(`${folder} has no ${machineFile}: it is not the folder of a run`);
      const names = (await readdir(folder)).filter((name) => /^cell-.*\.json$/.test(name)).toSorted();
      const cells = await Promise.all(names.map((name) => readJson<Cell>(path.join(folder, name))));
      return { machine, cells: cells.filter((cell) => cell !== undefined) };
    }),
  );
}

const rounded = (cell: Cell): Cell => ({
  ...cell,
  loadAtBegin: round(cell.loadAtBegin, 2),
  foreignShare: round(cell.foreignShare, 3),
  outcomes: cell.outcomes.map(({ workload, figures }) => ({
    workload,
    figures: Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, round(value, 2)])),
  })),
});

async function readJson<T>(file: string): Promise<T | undefined> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  return text === undefined ? undefined : (JSON.parse(text) as T);
}

/** Whole or not at all. */
async function writeJson(file: string, value: unknown): Promise<void> {
  await writeFile(`${file}.unfinished`, `${JSON.stringify(value, undefined, 1)}\n`);
  await rename(`${file}.unfinished`, file);
}
