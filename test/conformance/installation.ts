// Puts Gatewright, as these sources make it, into a lab.
import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { buildImage } from "../../image/src/build-image.ts";
import { ownArchitecture } from "../../image/src/platform.ts";
import { unpackImage } from "../../image/src/unpack.ts";
import { type Lab, LabError, mustRun } from "../lab/index.ts";
import { controllerName, systemNamespace } from "./implementation.ts";

export type InstallOptions = {
  /** Where the image is kept: a lab that is left up runs pods from it. */
  readonly folder: string;
  readonly report: (line: string) => void;
  readonly signal: AbortSignal;
  readonly replicas: number;
  /** The tag of the image. */
  readonly version: string;
};

const imageName = "gatewright/operator";
const root = path.resolve(import.meta.dirname, "../..");

/** What `npm run charts` prints. */
const charts = (...args: readonly string[]): Promise<string> =>
  mustRun([process.execPath, "--conditions=source", path.join(root, "charts/src/main.ts"), ...args]);

/**
 * Builds the image, and makes the lab run it wherever it is asked for. Returns a tag that tells it from others, so that what runs in a lab
 * which has been used before is replaced if it is another, and only then.
 */
async function loadImage(lab: Lab, { folder, report, version }: InstallOptions): Promise<string> {
  const layout = path.join(folder, "layout");
  const { platforms } = await buildImage({ output: layout, architectures: [ownArchitecture], report });
  const tag = `${version}-${platforms[0]?.manifest.digest.slice("sha256:".length, 20)}`;
  // A folder of its own: containers run from the one of the image before.
  const target = path.join(folder, "unpacked", tag);
  const unpacked = await unpackImage(layout, ownArchitecture, target);
  await lab.addImage({ match: imageName, ...unpacked });
  return tag;
}

async function removeOldImages({ folder }: InstallOptions, tag: string): Promise<void> {
  const unpacked = path.join(folder, "unpacked");
  for (const name of await readdir(unpacked))
    if (name !== tag) await rm(path.join(unpacked, name), { recursive: true, force: true });
}

/** Applies what the charts say, and returns the name of the GatewayClass once it has been accepted. */
export async function installGatewright(lab: Lab, options: InstallOptions): Promise<string> {
  const { report, signal, replicas } = options;
  const apply = async (manifests: string) => {
    signal.throwIfAborted();
    await lab.kubectl(["apply", "--server-side", "--force-conflicts", "--filename=-"], manifests);
  };
  report("building the operator's image");
  const tag = await loadImage(lab, options);
  report("installing the CRDs, experimental channel");
  await apply(await charts("crds", "--channel=experimental"));
  await lab.kubectl(["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"]);
  report(`installing Gatewright, ${replicas} replicas`);
  await apply(await charts("install", "--no-crds", `--image=${imageName}:${tag}`, `--replicas=${replicas}`));
  await lab.kubectl(["rollout", "status", "deployment", `--namespace=${systemNamespace}`, "--timeout=120s"]);
  await removeOldImages(options, tag);
  return await acceptedClass(lab);
}

/** Waits until a GatewayClass of ours is accepted. */
async function acceptedClass(lab: Lab): Promise<string> {
  const listed = await lab.kubectl(["get", "gatewayclasses", "--output=json"]);
  type Class = { readonly metadata: { readonly name: string }; readonly spec: { readonly controllerName: string } };
  const { items } = JSON.parse(listed) as { readonly items: readonly Class[] };
  const own = items.find(({ spec }) => spec.controllerName === controllerName);
  if (own === undefined) throw new LabError("the charts have installed no GatewayClass of ours");
  await waitUntilAccepted(lab, own.metadata.name);
  return own.metadata.name;
}

export const waitUntilAccepted = (lab: Lab, name: string): Promise<string> =>
  lab.kubectl(["wait", "--for=condition=Accepted", `gatewayclass/${name}`, "--timeout=120s"]);
