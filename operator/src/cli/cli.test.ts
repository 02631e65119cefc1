import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { captureIo } from "../../../test/support/capture-io.ts";
import { resourceTypes } from "../xds/index.ts";
import { runCli } from "./program.ts";

async function run(args: readonly string[], stdin = "", env?: NodeJS.ProcessEnv) {
  const io = captureIo(stdin, env);
  const code = await runCli(args, io);
  return { code, out: io.written(), err: io.complaints() };
}

describe("gatewright", () => {
  it("prints its help where it is asked nothing, with every subcommand", async () => {
    for (const args of [[], ["--help"], ["help"]]) {
      const { code, out, err } = await run(args);
      assert.equal(code, 0);
      assert.equal(err, "");
      for (const name of ["check", "standalone", "translate", "version"])
        assert.match(out, new RegExp(`^ {2}${name} `, "m"));
    }
  });

  for (const name of ["check", "standalone", "translate", "version"]) {
    it(`explains ${name} with examples`, async () => {
      const { code, out } = await run([name, "--help"]);
      assert.equal(code, 0);
      assert.match(out, new RegExp(`^Usage: gatewright ${name} `));
      assert.match(out, new RegExp(`^Examples:\n(  .*gatewright ${name}.*\n)+`, "m"));
    });
  }

  it("offers every kind of resource that there is", async () => {
    const { out } = await run(["translate", "--help"]);
    const choices = /--kind.*?choices:\s+(.*?)\)/s.exec(out)?.[1] ?? "";
    const offered = [...choices.matchAll(/"(\w+)"/g)].map(([, kind]) => kind);
    assert.deepEqual(new Set(offered), new Set(resourceTypes));
  });

  const misuses: readonly [string[], RegExp][] = [
    [["standalne"], /unknown command 'standalne'\n\(Did you mean standalone\?\)/],
    [["--verbose"], /unknown option '--verbose'/],
    [["standalone"], /missing required argument 'dir'/],
    [["standalone", ".", "--envoi", "x"], /unknown option '--envoi'\n\(Did you mean --envoy\?\)/],
    [["standalone", ".", "--concurrency", "many"], /--concurrency .* must be a whole number from 1 to 1024/],
    [["standalone", ".", "--admin-port", "70000"], /must be a whole number from 1 to 65535/],
    [["standalone", "/dev/zero"], /there is no file or folder \/dev\/zero/],
    [["check"], /missing required argument 'file'/],
    [["check", "/dev/zero"], /there is no file or folder \/dev\/zero/],
    [["check", ".", "--kubernetes-version", "2"], /must be a release from 1\.30 to 1\.37/],
    [["check", ".", "--output", "xml"], /Allowed choices are text, json, sarif, junit/],
    [["check", ".", "--against", "x", "--kubeconfig", "/no/such/file"], /error: .*\/no\/such\/file/],
    [["translate", "/dev/zero"], /there is no file or folder \/dev\/zero/],
    [["standalone", ".", "--log-level", "loud"], /Allowed choices are debug, info, warn, error, silent/],
    [["standalone", "/no/such/folder"], /error: there is no file or folder \/no\/such\/folder/],
    [["standalone", ".", "--status-dir", "./status"], /--status-dir \.\/status: it must not be in \./],
    [["standalone", ".", "--bind", "localhost"], /--bind localhost: it must be an IP address/],
    [["standalone", ".", "--bind", "198.51.100.1"], /--bind 198\.51\.100\.1: it is no address of this host/],
    [
      ["standalone", ".", "--access-log", "/nowhere/at/all.log"],
      /--access-log \/nowhere\/at\/all\.log: it cannot be written: ENOENT/,
    ],
    [["standalone", ".", "--envoy", "/no/such/envoy"], /named by --envoy cannot be used: there is no file/],
    [["translate"], /missing required argument 'file'/],
    [["translate", "x.yaml", "--kind", "cat"], /Allowed choices are listener, route/],
    [["translate", "x.yaml", "--gateway", "web"], /must be of the form namespace\/name/],
    [["translate", "x.yaml"], /error: there is no file or folder x\.yaml/],
    [["version", "surplus"], /too many arguments/],
    [["version", "-o", "xml"], /Allowed choices are text, json, yaml/],
  ];
  for (const [args, words] of misuses) {
    it(`ends with 2 and says why: ${args.join(" ")}`, async () => {
      const { code, out, err } = await run(args);
      assert.equal(code, 2);
      assert.equal(out, "");
      assert.match(err, words);
    });
  }
});

describe("gatewright version", () => {
  it("tells the product's version as its package has it", async () => {
    const { version } = parse(await readFile(new URL("../../package.json", import.meta.url), "utf8"));
    assert.equal((await run(["--version"])).out, `${version}\n`);
    const told = JSON.parse((await run(["version", "-o", "json"])).out);
    assert.equal(told.gatewright, version);
    assert.equal(told.node, process.versions.node);
  });

  it("tells the release of the Gateway API that the types come from", async () => {
    const goMod = await readFile(fileURLToPath(new URL("../../../crd-types/go/go.mod", import.meta.url)), "utf8");
    const pinned = /sigs\.k8s\.io\/gateway-api (\S+)/.exec(goMod)?.[1];
    assert.equal(parse((await run(["version", "-o", "yaml"])).out).gatewayApi, pinned);
  });

  it("tells which Envoy would run, and that one is not there yet", async () => {
    const nowhere = { PATH: "", GATEWRIGHT_CACHE: join(tmpdir(), "no-such-cache") };
    assert.match((await run(["version"], "", nowhere)).out, /envoy +1\.40\.0 \(not here yet/);
    const folder = await mkdtemp(join(tmpdir(), "gw-version-"));
    const envoy = join(folder, "envoy");
    await writeFile(envoy, "#!/bin/sh\necho 'envoy version: 0/1.39.0/Clean/RELEASE/BoringSSL'\n", { mode: 0o755 });
    assert.match((await run(["version", "--envoy", envoy])).out, /envoy +1\.40\.0 \(found 1\.39\.0 at /);
    await rm(folder, { recursive: true });
  });
});
