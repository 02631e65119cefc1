import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { buildPrograms, findProgram } from "./build.ts";
import type { GoProgram } from "./programs.ts";

// A `go` that writes down how it was called, and does as a script says.
const fakeGo = (script: string) => `#!/bin/sh
echo "$@" >> "$CALLS"
while [ $# -gt 0 ]; do [ "$1" = -o ] && out=$2; shift; done
${script}
`;

describe("buildPrograms()", () => {
  let folder: string;
  let program: GoProgram;
  let lines: string[];
  let heard: (line: string) => unknown;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "lab-build-"));
    lines = [];
    heard = () => undefined;
    await mkdir(path.join(folder, "module"));
    await mkdir(path.join(folder, "bin"));
    for (const file of ["go.mod", "go.sum"]) await writeFile(path.join(folder, "module", file), "");
    program = {
      name: "tool",
      module: path.join(folder, "module"),
      package: "example.com/tool",
      flags: ["-ldflags=-s -w"],
      environment: { PATH: `${path.join(folder, "bin")}:${process.env["PATH"]}`, CALLS: path.join(folder, "calls") },
      coldMinutes: 7,
    };
  });
  afterEach(() => rm(folder, { recursive: true }));

  const go = async (script: string) => {
    await writeFile(path.join(folder, "bin", "go"), fakeGo(script));
    await chmod(path.join(folder, "bin", "go"), 0o755);
  };
  const build = (...programs: GoProgram[]) =>
    buildPrograms(programs, {
      cacheFolder: path.join(folder, "cache"),
      report: (line) => {
        lines.push(line);
        heard(line);
      },
      pulseMs: 20,
    });
  const calls = async () =>
    (await readFile(path.join(folder, "calls"), "utf8").catch(() => "")).split("\n").filter((line) => line !== "");

  it("builds what is missing, once, and says how it goes", async () => {
    // It goes on until the pulse has been heard.
    await go(`echo "go: downloading example.com/one v1.0.0" >&2; echo example.com/one >&2; echo example.com/tool >&2
      while [ ! -e "$CALLS.heard" ]; do sleep 0.02; done
      echo made > "$out"`);
    const pulse = /^building tool: 1 modules fetched, 2 packages compiled, \d+ s$/;
    heard = (line) => pulse.test(line) && writeFileSync(path.join(folder, "calls.heard"), "");
    const built = await build(program);
    assert.equal(await readFile(built["tool"] ?? "", "utf8"), "made\n");
    assert.match(lines[0] ?? "", /^building tool into .*: up to 7 minutes/);
    assert.match(lines.at(-1) ?? "", /^built tool: 1 modules fetched, 2 packages compiled, \d+ s$/);

    lines = [];
    assert.deepEqual(await build(program), built);
    assert.deepEqual(lines, []);
    assert.equal((await calls()).length, 1);
    assert.match((await calls())[0] ?? "", /^build -v -mod=readonly -ldflags=-s -w -o .* example\.com\/tool$/);
  });

  it("compiles tests as such", async () => {
    await go(`echo made > "$out"`);
    await build({ ...program, test: true });
    assert.match((await calls())[0] ?? "", /^test -c -v /);
  });

  it("builds anew when a pin has changed, and keeps few old ones", async () => {
    await go(`echo made > "$out"`);
    for (let version = 1; version <= 5; version += 1) {
      await writeFile(path.join(program.module, "go.mod"), `// ${version}\n`);
      await build(program);
    }
    assert.equal((await calls()).length, 5);
    assert.equal((await readdir(path.join(folder, "cache", "tool"))).length, 3);
    assert.equal((await findProgram(program, path.join(folder, "cache"))).built, true);
  });

  it("passes on what the compiler says, and leaves nothing behind", async () => {
    await go(`echo example.com/tool >&2; echo "./main.go:1:1: it is wrong" >&2; exit 1`);
    await assert.rejects(build(program), /^LabError: tool cannot be built:\n\.\/main\.go:1:1: it is wrong$/);
    assert.deepEqual(await readdir(path.join(folder, "cache", "tool")), []);
    assert.equal((await findProgram(program, path.join(folder, "cache"))).built, false);
  });

  it("says what to install when there is no Go", async () => {
    // `nice` alone, so that there is nothing else to be found.
    await writeFile(path.join(folder, "bin", "nice"), `#!/bin/sh\nexit 127\n`);
    await chmod(path.join(folder, "bin", "nice"), 0o755);
    await assert.rejects(build(program), /^LabError: Go was not found: install Go 1\.26/);
  });

  it("builds once when two want the same at the same time", async () => {
    await go(`echo made > "$out"`);
    const [one, two] = await Promise.all([build(program), build(program)]);
    assert.deepEqual(one, two);
    assert.equal((await calls()).length, 1);
  });
});
