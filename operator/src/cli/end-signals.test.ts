import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { endSignals } from "./end-signals.ts";

const main = fileURLToPath(new URL("../main.ts", import.meta.url));

/** Makes the process end itself at the moment in which it begins to load what its command needs. */
const endWhileLoading = (signal: string) => `data:text/javascript,
  import { registerHooks } from "node:module";
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === "./cli/index.ts") process.kill(process.pid, "${signal}");
      return next(specifier, context);
    },
  });`;

describe("a signal that comes while a command is loaded", function () {
  this.timeout(20_000);
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "gw-signal-"));
  });
  after(() => rm(folder, { recursive: true }));

  async function endOf(signal: string, command: string): Promise<unknown> {
    const args = ["--conditions=source", "--import", endWhileLoading(signal), main, command, folder];
    const child = spawn(process.execPath, args, { stdio: "ignore" });
    const [code, ended] = await once(child, "exit");
    return code ?? ended;
  }

  for (const signal of endSignals) {
    it(`ends a server with 0: ${signal}`, async () => assert.equal(await endOf(signal, "standalone"), 0));
    it(`ends another command as any program: ${signal}`, async () =>
      assert.equal(await endOf(signal, "translate"), signal));
  }
});
