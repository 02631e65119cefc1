// Tar archives as image layers have them: https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html
// Written without owner, time or anything else of this machine, so that the same entries are the same bytes.
import type { Entry } from "../entry.ts";
import { ImageError } from "../image-error.ts";

const blockSize = 512;
const typeOf = { file: "0", folder: "5", link: "2" } as const;

/** An archive of entries, in their order. */
export function writeTar(entries: readonly Entry[]): Buffer {
  const chunks: Uint8Array[] = [];
  for (const entry of entries) chunks.push(...blocksOf(entry));
  // Two empty blocks are its end.
  chunks.push(Buffer.alloc(2 * blockSize));
  return Buffer.concat(chunks);
}

function blocksOf(entry: Entry): readonly Uint8Array[] {
  const path = entry.kind === "folder" ? `${entry.path}/` : entry.path;
  const target = entry.kind === "link" ? entry.target : "";
  const content = entry.kind === "file" ? entry.content : new Uint8Array();
  // What does not fit into the header stands in records before it, and the header holds a part that nobody reads.
  const records = [
    ...(fits(path) ? [] : [record("path", path)]),
    ...(fits(target) ? [] : [record("linkpath", target)]),
  ].join("");
  const shortPath = fits(path) ? path : `long/${entry.path.slice(-60).replaceAll(/[^\x21-\x7e]/g, "_")}`;
  const own = header({
    path: shortPath,
    mode: entry.mode,
    size: content.length,
    type: typeOf[entry.kind],
    target: fits(target) ? target : "",
  });
  const blocks = [own, ...padded(content)];
  if (records === "") return blocks;
  const extra = Buffer.from(records);
  const extraHeader = header({ path: "pax", mode: 0o644, size: extra.length, type: "x", target: "" });
  return [extraHeader, ...padded(extra), ...blocks];
}

const fits = (name: string): boolean => Buffer.byteLength(name) <= 100 && /^[\x20-\x7e]*$/.test(name);

/** `LENGTH KEY=VALUE\n`, where the length counts itself. */
function record(key: string, value: string): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest;
  while (String(length).length + rest !== length) length = String(length).length + rest;
  return `${length} ${key}=${value}\n`;
}

const padded = (content: Uint8Array): readonly Uint8Array[] => {
  const rest = content.length % blockSize;
  return rest === 0 ? [content] : [content, Buffer.alloc(blockSize - rest)];
};

type Header = {
  readonly path: string;
  readonly mode: number;
  readonly size: number;
  readonly type: string;
  readonly target: string;
};

function header({ path, mode, size, type, target }: Header): Buffer {
  const block = Buffer.alloc(blockSize);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, "0")}\0`;
  block.write(path, 0);
  block.write(octal(mode & 0o7777, 7), 100);
  block.write(octal(0, 7), 108); // Owner: root,
  block.write(octal(0, 7), 116); // and its group.
  block.write(octal(size, 11), 124);
  block.write(octal(0, 11), 136); // The time is the beginning of all times.
  block.write(" ".repeat(8), 148);
  block.write(type, 156);
  block.write(target, 157);
  block.write("ustar\x0000", 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}

/** Reads an archive, also as GNU tar writes them. What is neither file, folder nor link is left out. */
export function readTar(archive: Uint8Array): Entry[] {
  const bytes = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
  const entries: Entry[] = [];
  let extra: { path?: string; linkpath?: string } = {};
  for (let at = 0; at + blockSize <= bytes.length; ) {
    const block = bytes.subarray(at, at + blockSize);
    if (block.every((byte) => byte === 0)) break;
    const size = number(block, 124, 12);
    const content = bytes.subarray(at + blockSize, at + blockSize + size);
    if (content.length < size) throw new ImageError("an archive ends in the middle of a file");
    at += blockSize + Math.ceil(size / blockSize) * blockSize;
    const type = String.fromCharCode(block[156] ?? 0);
    if (type === "x") extra = { ...extra, ...readRecords(content) };
    else if (type === "L") extra = { ...extra, path: text(content, 0, size) };
    else if (type === "K") extra = { ...extra, linkpath: text(content, 0, size) };
    else if (type !== "g") {
      const entry = readEntry(block, type, content, extra, entries);
      if (entry !== undefined) entries.push(entry);
      extra = {};
    }
  }
  return entries;
}

function readEntry(
  block: Buffer,
  type: string,
  content: Buffer,
  extra: { readonly path?: string; readonly linkpath?: string },
  before: readonly Entry[],
): Entry | undefined {
  const prefix = text(block, 257, 5) === "ustar" && block[262] === 0 ? text(block, 345, 155) : "";
  const name = extra.path ?? (prefix === "" ? text(block, 0, 100) : `${prefix}/${text(block, 0, 100)}`);
  const path = name.replace(/^(\.?\/)+/, "").replace(/\/+$/, "");
  if (path.split("/").includes("..")) throw new ImageError(`an archive holds ${name}, which leads out of it`);
  const target = extra.linkpath ?? text(block, 157, 100);
  const mode = number(block, 100, 8) & 0o7777;
  if (path === "" || path === ".") return undefined;
  if (type === "0" || type === "\0") return { kind: "file", path, mode, content };
  if (type === "5") return { kind: "folder", path, mode };
  if (type === "2") return { kind: "link", path, mode: 0o777, target };
  if (type !== "1") return undefined;
  // A second name of a file that stands before it.
  const other = target.replace(/^(\.?\/)+/, "");
  const same = before.find((entry) => entry.path === other);
  return same?.kind === "file" ? { ...same, path } : undefined;
}

function readRecords(content: Buffer): { path?: string; linkpath?: string } {
  const found: { path?: string; linkpath?: string } = {};
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(" ", at);
    const length = Number(content.toString("utf8", at, space));
    if (space < 0 || !(length > 0)) break;
    const line = content.toString("utf8", space + 1, at + length - 1);
    const [, key, value] = /^(path|linkpath)=([^]*)$/.exec(line) ?? [];
    if (key === "path" && value !== undefined) found.path = value;
    if (key === "linkpath" && value !== undefined) found.linkpath = value;
    at += length;
  }
  return found;
}

function text(bytes: Buffer, from: number, length: number): string {
  const field = bytes.subarray(from, from + length);
  const end = field.indexOf(0);
  return field.toString("utf8", 0, end < 0 ? field.length : end);
}

const number = (bytes: Buffer, from: number, length: number): number =>
  Number.parseInt(text(bytes, from, length).trim() || "0", 8);
