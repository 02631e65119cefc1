#!/usr/bin/env node
// The composition root: the command line in this process.
import { processIo, runCli } from "./cli/index.ts";

// A reader that has seen enough (`gatewright translate … | head`) is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

process.exitCode = await runCli(process.argv.slice(2), processIo);
