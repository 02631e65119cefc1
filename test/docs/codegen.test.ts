// docs/codegen.md is a session at a prompt: it is followed.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { codegen, compilerErrors, makeProject } from "../codegen/support/generated.ts";
import { type Block, blocksOf } from "./examples.ts";

const root = path.resolve(import.meta.dirname, "../..");
const page = path.join(root, "docs/codegen.md");

describe("docs/codegen.md, followed", function () {
  this.timeout(300_000);
  let project: string;
  let blocks: readonly Block[];
  before(async () => {
    project = makeProject();
    blocks = await blocksOf(page);
  });
  after(() => rmSync(project, { recursive: true, force: true }));

  it("comes to what the page shows", () => {
    let runs = 0;
    for (const { marks, text, line } of blocks) {
      const file = marks.find((mark) => mark.startsWith("save="))?.slice("save=".length);
      if (file !== undefined) writeFileSync(path.join(project, file), text);
      if (marks.includes("run")) {
        const { status, stderr } = command(text);
        assert.equal(status, 0, `line ${line}: ${stderr}`);
        runs++;
      }
      if (marks.includes("printed")) {
        const { stdout, stderr } = node(path.join(project, "main.ts"));
        assert.equal(stdout, text, `line ${line}: ${stderr}`);
        runs++;
      }
    }
    assert.equal(runs, 4);
  });

  it("leaves a project that compiles", () => {
    // The page's program prints, and nothing else in the project knows of a console.
    writeFileSync(path.join(project, "console.d.ts"), "declare const console: { log(...args: unknown[]): void };\n");
    assert.equal(compilerErrors(project), "");
  });

  it("names every option, and no other", async () => {
    const optionsIn = (text: string) => new Set(text.match(/--[a-z][a-z-]+/g));
    const help = optionsIn((await codegen("--help")).out.join("\n"));
    const shown = optionsIn(readFileSync(page, "utf8"));
    shown.delete("--save-dev");
    assert.deepEqual([...shown].toSorted(), [...help].toSorted());
  });

  const node = (...args: readonly string[]) =>
    spawnSync(process.execPath, ["--conditions=source", ...args], { cwd: project, encoding: "utf8" });

  function command(text: string) {
    const words = /^\$ npx gatewright-codegen (.*)\n$/.exec(text)?.[1]?.split(" ");
    assert.ok(words !== undefined, `no command: ${text}`);
    return node(path.join(root, "codegen/src/cli.ts"), ...words);
  }
});
