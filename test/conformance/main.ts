// `npm run conformance`: see arguments.ts for what there is.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { ImageError } from "../../image/src/image-error.ts";
import { LabError } from "../lab/index.ts";
import { parseArguments, usage } from "./arguments.ts";
import { prepare } from "./prepare.ts";
import { exitCodes, run } from "./run.ts";

async function main(): Promise<number> {
  const parsed = parseArguments(process.argv.slice(2), process.env);
  if (parsed.kind === "help") {
    console.log(usage);
    return 0;
  }
  if (parsed.kind === "wrong") {
    console.error(`${parsed.message}\n\n${usage}`);
    return exitCodes.notRun;
  }
  if (parsed.kind === "prepare") return await prepare(parsed.options, (line) => console.log(`- ${line}`));
  const ended = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => {
      if (ended.signal.aborted) return;
      console.log("\nending; once more does nothing");
      ended.abort();
    });
  const manifest = JSON.parse(
    await readFile(path.resolve(import.meta.dirname, "../../operator/package.json"), "utf8"),
  ) as { readonly version: string };
  return await run(parsed.options, {
    print: (line) => console.log(line),
    signal: ended.signal,
    version: `v${manifest.version}`,
  });
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof LabError) && !(error instanceof ImageError)) throw error;
  console.error(error.message);
  process.exitCode = exitCodes.notRun;
}
