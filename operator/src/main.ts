#!/usr/bin/env node
// The composition root: the command line in this process.
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { userCacheFolder } from "./lib/cache-folder.ts";
import { endEarly } from "./cli/end-signals.ts";

// Before all that takes time to load: whoever starts a server may end it at any moment.
endEarly(process.argv[2]);

// A reader that has seen enough (`gatewright translate … | head`) is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

// Compiling takes more than half of a start. In the user's own folder: whoever can write there can run code as the user anyhow.
enableCompileCache(join(userCacheFolder(), "compiled"));
const { processIo, runCli } = await import("./cli/index.ts");
process.exitCode = await runCli(process.argv.slice(2), processIo);
