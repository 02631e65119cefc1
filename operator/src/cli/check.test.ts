import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { captureIo } from "../../../test/support/capture-io.ts";
import { runCli } from "./program.ts";

const good = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n";
const bad = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: X}\n";
const doubtful = `apiVersion: gateway.networking.k8s.io/v1
kind: GRPCRoute
metadata: {name: x}
spec: {}
`;

async function run(stdin: string | Uint8Array, ...args: string[]) {
  const io = captureIo(stdin);
  const code = await runCli(["check", ...args], io);
  return { code, out: io.written(), err: io.complaints() };
}

describe("gatewright check", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "gw-check-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("ends with 0 where all is well, and says so", async () =>
    assert.deepEqual(await run(good, "-"), { code: 0, out: "", err: "no problems in 1 object of 1 file\n" }));

  it("ends with 1 where there are errors", async () => {
    const { code, out, err } = await run(bad, "-");
    assert.equal(code, 1);
    assert.match(
      out,
      /^standard input:3:12: error: ConfigMap default\/X metadata\.name: Invalid value: "X": .* \[metadata\]\n$/,
    );
    assert.equal(err, "1 error in 1 object of 1 file\n");
  });

  it("ends with 1 where there are warnings only if it is strict", async () => {
    assert.equal((await run(doubtful, "-")).code, 0);
    assert.equal((await run(doubtful, "-", "--strict")).code, 1);
  });

  it("ends with 2 where there is nothing to read", async () => {
    const { code, out, err } = await run("", join(folder, "none.yaml"));
    assert.equal(code, 2);
    assert.equal(out, "");
    assert.match(err, /^error: there is no file or folder .*none\.yaml\n$/);
  });

  it("writes nothing but its format to standard output", async () => {
    const { out, err } = await run(bad, "-", "-o", "json");
    assert.equal(err, "");
    assert.equal(JSON.parse(out).rule, "metadata");
  });

  it("reads bytes as they come", async () => {
    const { out } = await run(Buffer.from(`${good}data: {a: ä}\n`, "latin1"), "-");
    assert.match(out, /^standard input:4:1: error: the file is not UTF-8/);
  });

  it("reads folders and files, each once, whatever the files are called", async () => {
    await mkdir(join(folder, "inner"));
    await writeFile(
      join(folder, "inner", "a.json"),
      JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: {} }),
    );
    await writeFile(join(folder, "notes.txt"), bad);
    assert.match((await run("", folder, join(folder, "inner", "a.json"))).err, /^1 error in 1 object of 1 file\n$/);
    assert.match((await run("", folder, join(folder, "notes.txt"))).err, /^2 errors in 2 objects of 2 files\n$/);
  });

  it("tells a file that cannot be read, and goes on", async function () {
    await writeFile(join(folder, "a.yaml"), good);
    await writeFile(join(folder, "b.yaml"), bad);
    await chmod(join(folder, "a.yaml"), 0o000);
    // Who may read everything is not kept from it.
    if (process.getuid?.() === 0) this.skip();
    const { out } = await run("", folder);
    assert.match(out, /a\.yaml:1:1: error: .* \[file\]\n.*b\.yaml:3:12: error: /s);
  });

  it("has colours on a terminal alone, and none where they are not wanted", async () => {
    const terminal = { columns: 80, rows: 20, on: () => undefined, off: () => undefined } as unknown;
    const onTerminal = async (env: NodeJS.ProcessEnv) => {
      const io = captureIo(bad, env);
      await runCli(["check", "-"], Object.assign(io, { terminal }));
      return io.written().includes("\u001B[");
    };
    assert.equal(await onTerminal({}), true);
    assert.equal(await onTerminal({ NO_COLOR: "1" }), false);
    assert.equal((await run(bad, "-")).out.includes("\u001B["), false);
  });
});
