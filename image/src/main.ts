// `npm run image`: see arguments.ts for what there is.
import { parseArguments, usage } from "./arguments.ts";
import { buildImage } from "./build-image.ts";
import { mirrorOf } from "./debian/mirror.ts";
import { updatePins } from "./debian/update-pins.ts";
import { ImageError } from "./image-error.ts";
import { ownArchitecture } from "./platform.ts";
import { unpackImage } from "./unpack.ts";

const exitUsage = 2;

const startedMs = performance.now();
// Progress is no output: the digest can be piped on.
const report = (line: string) =>
  console.error(`[${((performance.now() - startedMs) / 1000).toFixed(1).padStart(5)}s] ${line}`);

async function main(): Promise<number> {
  const command = parseArguments(process.argv.slice(2));
  switch (command.kind) {
    case "help":
      console.log(usage);
      return 0;
    case "wrong":
      console.error(`${command.message}\n\n${usage}`);
      return exitUsage;
    case "update-pins": {
      const of = (archive: "debian" | "debian-security") => mirrorOf(archive, command.mirrors, process.env);
      await updatePins({ debian: of("debian"), "debian-security": of("debian-security") }, report);
      report("the pins are up to date");
      return 0;
    }
    case "build": {
      const { digest, platforms } = await buildImage({ ...command, report });
      for (const { architecture, manifest, layers } of platforms) {
        const sizes = layers.map(({ name, descriptor }) => `${name} ${mebibytes(descriptor.size)}`);
        const all = layers.reduce((sum, { descriptor }) => sum + descriptor.size, 0);
        report(`linux/${architecture}: ${manifest.digest}, ${mebibytes(all)} MiB (${sizes.join(", ")})`);
      }
      if (command.unpack !== undefined) {
        const { root } = await unpackImage(command.output, ownArchitecture, command.unpack);
        report(`unpacked to ${root}`);
      }
      report(`written to ${command.output}`);
      console.log(digest);
      return 0;
    }
  }
}

const mebibytes = (bytes: number): string => (bytes / (1 << 20)).toFixed(1);

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof ImageError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
