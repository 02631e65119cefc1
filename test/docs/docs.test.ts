// What the documentation shows is tried: examples translate as they stand, bad ones say what the page says, and options exist.
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { rules } from "../../operator/src/check/rules.ts";
import { runCli } from "../../operator/src/cli/index.ts";
import { captureIo } from "../support/capture-io.ts";
import { type Block, blocksOf, fileOf } from "./examples.ts";

const docs = fileURLToPath(new URL("../../docs", import.meta.url));
const pages = (await readdir(docs)).filter((name) => name.endsWith(".md"));

async function run(...args: string[]) {
  const io = captureIo();
  const code = await runCli(args, io);
  return { code, out: io.written(), err: io.complaints() };
}

for (const page of pages) {
  describe(`docs/${page}`, () => {
    const command = page === "check.md" ? "check" : "translate";
    let folder: string;
    let blocks: readonly Block[];
    before(async () => {
      blocks = await blocksOf(join(docs, page));
    });
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), "gw-docs-"));
      for (const block of blocks) if (!block.marks.includes("bad")) await save(block);
    });
    afterEach(() => rm(folder, { recursive: true, force: true }));

    async function save(block: Block): Promise<void> {
      const name = fileOf(block);
      if (name !== undefined) await writeFile(join(folder, name), block.text);
    }

    it("has examples without problems", async () => {
      if (!blocks.some((block) => fileOf(block) !== undefined)) return;
      const { code, out, err } = await run(command, folder);
      if (command === "check") assert.equal(out, "");
      // A page may show a filter by itself.
      if (command === "translate")
        assert.equal(err.replaceAll(/^warning: .* HTTPFilter .*: no route and no listener refers to it\n/gm, ""), "");
      assert.equal(code, 0);
    });

    it("shows output that is really printed", async () => {
      for (const { text, line } of blocks.filter(({ marks }) => marks.includes("output"))) {
        const { out } = await run("translate", folder, "--kind", "virtualHost");
        const printed: unknown = parse(out);
        assert(contains(printed, parse(text)), `line ${line} is not in\n${out}`);
      }
    });

    it("has bad examples that are refused as it says", async () => {
      for (const [index, block] of blocks.entries()) {
        if (!block.marks.includes("bad")) continue;
        const promised = blocks.slice(index).find(({ marks }) => marks.includes("problem"));
        assert(promised !== undefined, `line ${block.line}: no problem is shown`);
        await save(block);
        const { code, out, err } = await run(command, folder);
        assert.equal(code, 1);
        const said = command === "check" ? out : err;
        for (const line of promised.text.trim().split("\n")) assert(said.includes(line), `${line} is not in\n${said}`);
        await rm(join(folder, fileOf(block) ?? ""));
      }
    });
  });
}

for (const command of ["check", "standalone", "translate"]) {
  it(`docs/${command}.md names every option of the command, and no other`, async () => {
    const optionsIn = (text: string) => new Set(text.match(/--[a-z][a-z-]+/g));
    const help = optionsIn((await run(command, "--help")).out);
    const text = await readFile(join(docs, `${command}.md`), "utf8");
    const prose = optionsIn(text.replaceAll("envoy --mode", ""));
    assert.deepEqual(
      [...prose].filter((option) => !help.has(option)),
      [],
    );
    const unexplained = [...help].filter((option) => !prose.has(option) && !["--help", "--mode"].includes(option));
    assert.deepEqual(unexplained, []);
  });
}

it("docs/check.md names every rule that has no condition's name, with what it means", async () => {
  const text = await readFile(join(docs, "check.md"), "utf8");
  for (const [id, meaning] of Object.entries(rules)) assert(text.includes(`| \`${id}\` | ${meaning} |\n`), id);
});

/** Whether all that `part` says stands somewhere in `whole`: members of objects, and elements of lists in any place. */
function contains(whole: unknown, part: unknown): boolean {
  if (matches(whole, part)) return true;
  return typeof whole === "object" && whole !== null && Object.values(whole).some((value) => contains(value, part));
}

function matches(whole: unknown, part: unknown): boolean {
  if (typeof part !== "object" || part === null) return whole === part;
  if (typeof whole !== "object" || whole === null) return false;
  if (Array.isArray(part))
    return Array.isArray(whole) && part.every((each) => whole.some((value) => matches(value, each)));
  const members = new Map(Object.entries(whole));
  return Object.entries(part).every(([name, value]) => matches(members.get(name), value));
}
