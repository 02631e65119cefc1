import { readFile } from "node:fs/promises";

/** A fenced block of a page: ```` ```yaml file=web.yaml bad ````. */
export type Block = {
  readonly language: string;
  /** The words after the language. */
  readonly marks: readonly string[];
  readonly text: string;
  readonly line: number;
};

export async function blocksOf(page: string): Promise<readonly Block[]> {
  const blocks: Block[] = [];
  let open: { language: string; marks: readonly string[]; lines: string[]; line: number } | undefined;
  for (const [index, line] of (await readFile(page, "utf8")).split("\n").entries()) {
    const fence = /^```(.*)$/.exec(line)?.[1];
    if (fence === undefined) open?.lines.push(line);
    else if (open === undefined) {
      const [language = "", ...marks] = fence.split(" ");
      open = { language, marks, lines: [], line: index + 1 };
    } else {
      blocks.push({ ...open, text: `${open.lines.join("\n")}\n` });
      open = undefined;
    }
  }
  return blocks;
}

/** The file that a block is to be saved as, if it says so. */
export const fileOf = ({ marks }: Block): string | undefined =>
  marks.find((mark) => mark.startsWith("file="))?.slice("file=".length);
