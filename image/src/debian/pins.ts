// Which Debian packages an image is made of: data in pins.json, written by `npm run image -- --update-pins`.
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Architecture } from "../platform.ts";
import type { Archive } from "./mirror.ts";

export type Pin = {
  readonly name: string;
  readonly version: string;
  readonly archive: Archive;
  /** Within the archive. */
  readonly path: string;
  readonly sha256: string;
};

export type Pins = {
  /** The release of Debian, by its code name. */
  readonly release: string;
  readonly packages: Readonly<Record<Architecture, readonly Pin[]>>;
};

export const pinsFile = path.join(import.meta.dirname, "pins.json");

export async function readPins(): Promise<Pins> {
  const pins: Pins = JSON.parse(await readFile(pinsFile, "utf8"));
  return pins;
}
