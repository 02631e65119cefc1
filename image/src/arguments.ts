import path from "node:path";
import { parseArgs } from "node:util";
import type { Mirrors } from "./debian/mirror.ts";
import { messageOf } from "./image-error.ts";
import { type Architecture, architectures, isArchitecture } from "./platform.ts";

export const usage = `Usage: npm run image -- [options]

Builds the image of the operator as an OCI image layout, without a container runtime: the same sources give the same digests.
Prints the digest. See docs/image.md.

  --platform LIST       of ${architectures.map((name) => `linux/${name}`).join(",")} (default: all)
  --output DIR          where the layout is written (default image/dist/layout)
  --unpack DIR          also write the root file system and the configuration for this machine to DIR/root, DIR/config.json
  --mirror URL, --security-mirror URL
                        where Debian's packages are fetched (default: $GATEWRIGHT_DEBIAN_MIRROR and
                        $GATEWRIGHT_DEBIAN_SECURITY_MIRROR, else where apt of this machine gets them)
  --offline             fetch nothing: take all from the cache
  --update-pins         only write the newest versions of Debian's packages to image/src/debian/pins.json
  --help                this text

What has been fetched is kept in $GATEWRIGHT_CACHE/image (default ~/.cache/gatewright/image). $SOURCE_DATE_EPOCH is when the image
says that it was made (default: when the sources were committed).
`;

export type ImageCommand =
  | {
      readonly kind: "build";
      readonly architectures: readonly Architecture[];
      readonly output: string;
      readonly unpack: string | undefined;
      readonly mirrors: Mirrors;
      readonly offline: boolean;
    }
  | { readonly kind: "update-pins"; readonly mirrors: Mirrors }
  | { readonly kind: "help" }
  | { readonly kind: "wrong"; readonly message: string };

export const defaultOutput = path.resolve(import.meta.dirname, "../dist/layout");

export function parseArguments(argv: readonly string[]): ImageCommand {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        platform: { type: "string" },
        output: { type: "string" },
        unpack: { type: "string" },
        mirror: { type: "string" },
        "security-mirror": { type: "string" },
        offline: { type: "boolean", default: false },
        "update-pins": { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    if (values.help) return { kind: "help" };
    const mirrors: Mirrors = {
      ...(values.mirror !== undefined && { debian: values.mirror }),
      ...(values["security-mirror"] !== undefined && { "debian-security": values["security-mirror"] }),
    };
    if (values["update-pins"]) return { kind: "update-pins", mirrors };
    const platforms = parsePlatforms(values.platform);
    if (typeof platforms === "string") return { kind: "wrong", message: platforms };
    return {
      kind: "build",
      architectures: platforms,
      output: values.output === undefined ? defaultOutput : path.resolve(values.output),
      unpack: values.unpack === undefined ? undefined : path.resolve(values.unpack),
      mirrors,
      offline: values.offline,
    };
  } catch (error) {
    // What parseArgs says of an unknown option.
    return { kind: "wrong", message: messageOf(error) };
  }
}

/** The platforms in their order, or what is wrong. */
function parsePlatforms(text: string | undefined): readonly Architecture[] | string {
  if (text === undefined) return architectures;
  const names = text.split(",").map((name) => name.trim().replace(/^linux\//, ""));
  const unknown = names.find((name) => !isArchitecture(name));
  if (unknown !== undefined)
    return `there is no image for ${unknown}: ${architectures.map((name) => `linux/${name}`).join(" or ")}`;
  return architectures.filter((name) => names.includes(name));
}
