import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { freePort } from "../../../test/support/free-port.ts";

// Timers of the clock keep no process alive, and a server that is away keeps no connections.
describe("a process that waits for an API server", () => {
  it("waits", async () => {
    const port = await freePort();
    const program = `
      import { createDiscovery } from "${import.meta.dirname}/index.ts";
      import { createListWatch } from "${import.meta.dirname}/../kubernetes/index.ts";
      import { connectPlainly } from "${import.meta.dirname}/../kubernetes/testing/index.ts";
      import { silentLogger as logger } from "${import.meta.dirname}/../lib/index.ts";
      const api = connectPlainly("http://127.0.0.1:${port}");
      let tries = 0;
      const counted = { ...api, request: (request) => { if (++tries === 3) process.exit(42); return api.request(request); } };
      if (process.argv[1] === "list") createListWatch({ api: counted, path: "/x", name: "X", logger, onEvents: () => undefined });
      else await createDiscovery({ api: counted, kinds: ["Secret"], logger }).start();
    `;
    for (const what of ["list", "discovery"]) {
      const args = ["--conditions=source", "--input-type=module-typescript", "--eval", program, what];
      const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
      assert.deepEqual(await once(child, "exit"), [42, null], what);
    }
  });
});
