// Runs one Envoy under a guard and prints its pid when it is ready: a parent for tests to kill. Arguments: binary, folder, port.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { silentLogger } from "../../lib/index.ts";
import { startEnvoyProcess } from "../envoy-process.ts";
import { createGuard } from "../guard.ts";
import { directResponse } from "./direct-response.ts";

const [binary = "", folder = "", port = ""] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const envoy = startEnvoyProcess({
  binary,
  folder: join(folder, "one"),
  bootstrap: (socket) => directResponse(socket, Number(port), "hello"),
  concurrency: 1,
  verbose: false,
  logger: silentLogger,
  guard: createGuard(folder),
  onState: ({ kind }) => {
    if (kind === "ready") process.stdout.write(`${envoy.pid()}\n`);
  },
});
