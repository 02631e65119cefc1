// Which files of this host stand for which container image: data in images.json, and what users add to a running lab.
import { readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { LabError } from "./lab-error.ts";

/** An entry of the file that the node's agent reads: see test/lab/node/internal/images. */
export type Image = {
  /** A part of the references that it stands for. */
  readonly match: string;
  /** Folder with the image's root file system. */
  readonly root?: string;
  /** File with the image's OCI configuration. */
  readonly config?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly user?: string;
  readonly workingDir?: string;
};

/** Puts paths of this host where `${name}` stands. */
export function fillIn(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{([\w-]+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new LabError(`\${${name}} in images.json stands for nothing that the lab has`);
    // It stands in a JSON string.
    return JSON.stringify(value).slice(1, -1);
  });
}

/** Writes the file that the agent reads, from the data of the project. */
export async function writeImages(file: string, values: Readonly<Record<string, string>>): Promise<void> {
  const template = await readFile(path.join(import.meta.dirname, "images.json"), "utf8");
  await replaceFile(file, fillIn(template, values));
}

/** Adds an entry before all others, in the place of one for the same images. */
export async function addImage(file: string, image: Image): Promise<void> {
  const all = JSON.parse(await readFile(file, "utf8")) as Image[];
  const others = all.filter(({ match }) => match !== image.match);
  await replaceFile(file, `${JSON.stringify([image, ...others], undefined, 2)}\n`);
}

/** The agent reads it whenever a container starts: it must see all of a version. */
async function replaceFile(file: string, content: string): Promise<void> {
  await writeFile(`${file}.new`, content);
  await rename(`${file}.new`, file);
}
