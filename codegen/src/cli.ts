#!/usr/bin/env node
import { runCodegen } from "./anywhere/index.ts";

process.exitCode = await runCodegen(process.argv.slice(2), { out: console.log, err: console.error });
