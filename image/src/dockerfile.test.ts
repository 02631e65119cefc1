// The Dockerfile is not tried here, where there is no Docker: but it must say the same as what is.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { goToolchain } from "../../codegen/src/go/go.ts";
import { imageConfig } from "./assemble.ts";
import { user } from "./debian/debian-layer.ts";
import { readPins } from "./debian/pins.ts";
import { nodeVersion } from "./node-layer.ts";
import { appFolder, launcherPath, nodePath, ownPackages } from "./places.ts";
import { architectures } from "./platform.ts";
import { projectRoot, readLock, readManifest } from "./project.ts";

const read = (...parts: readonly string[]) => readFile(path.join(projectRoot, ...parts), "utf8");

describe("the Dockerfile", () => {
  let text: string;
  before(async () => (text = await read("Dockerfile")));

  it("has the versions that are pinned elsewhere", async () => {
    const { release } = await readPins();
    const lock = await readLock();
    const node = (await read(".node-version")).trim();
    for (const architecture of architectures) assert.equal(nodeVersion(lock, architecture), node);
    const bases = [...text.matchAll(/^FROM (?:--platform=\S+ )?(\S+)/gm)].map(([, base]) => base ?? "");
    assert.deepEqual([...new Set(bases)].toSorted(), [
      `debian:${release}-slim`,
      `golang:${goToolchain.replace("go", "")}-${release}`,
      `node:${node}-${release}-slim`,
    ]);
  });

  it("runs the same, as the same user, in the same environment", async () => {
    const { config } = imageConfig({
      architecture: "amd64",
      layers: [],
      manifest: await readManifest(),
      source: { created: new Date(0), revision: undefined },
    });
    const line = (name: string) => new RegExp(`^${name} (.*)$`, "m").exec(text)?.[1];
    assert.equal(line("USER"), config.User);
    assert.equal(line("USER"), `${user.id}:${user.id}`);
    assert.deepEqual(JSON.parse(line("ENTRYPOINT") ?? ""), config.Entrypoint);
    assert.deepEqual(JSON.parse(line("CMD") ?? ""), config.Cmd);
    // Debian's image has the path already.
    assert.deepEqual(
      line("ENV")?.split(" "),
      config.Env.filter((variable) => !variable.startsWith("PATH=")),
    );
  });

  it("holds the same packages", () => {
    assert.equal(/for package in (.*?);/.exec(text)?.[1], ownPackages.join(" "));
  });
});

describe("the command in the image", () => {
  it("is started by the image's Node, and starts the image's operator", async () => {
    const text = await read("image", "gatewright");
    assert.ok(text.startsWith(`#!/${nodePath} `), text);
    assert.match(text, new RegExp(`^import\\("/${appFolder}/operator/dist/main\\.js"\\);$`, "m"));
    assert.equal(launcherPath, "usr/local/bin/gatewright");
  });
});
