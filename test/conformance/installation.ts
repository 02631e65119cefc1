// Puts Gatewright, as these sources make it, into a lab.
import path from "node:path";
import { buildImage } from "../../image/src/build-image.ts";
import { ownArchitecture } from "../../image/src/platform.ts";
import { unpackImage } from "../../image/src/unpack.ts";
import { gatewayApiCrds, type Lab, LabError, mustRun } from "../lab/index.ts";
import { controllerName } from "./implementation.ts";

export type InstallOptions = {
  /** Where the image is kept: a lab that is left up runs pods from it. */
  readonly folder: string;
  readonly report: (line: string) => void;
  readonly signal: AbortSignal;
};

/** Installs the CRDs of the Gateway API. */
export async function installCrds(lab: Lab): Promise<void> {
  const files = await gatewayApiCrds("experimental");
  await lab.kubectl(["apply", "--server-side", ...files.map((file) => `--filename=${file}`)]);
  await lab.kubectl(["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"]);
}

const imageName = "gatewright/operator";
const root = path.resolve(import.meta.dirname, "../..");

/** Builds the image, and makes the lab run it wherever it is asked for. */
export async function loadImage(lab: Lab, { folder, report }: InstallOptions): Promise<void> {
  const layout = path.join(folder, "layout");
  await buildImage({ output: layout, architectures: [ownArchitecture], report });
  const { root: rootFolder, config } = await unpackImage(layout, ownArchitecture, path.join(folder, "unpacked"));
  await lab.addImage({ match: imageName, root: rootFolder, config });
}

/** Applies what the charts say, and returns the name of the GatewayClass once it has been accepted. */
export async function installGatewright(lab: Lab, options: InstallOptions): Promise<string> {
  options.report("installing the CRDs of the Gateway API, experimental channel");
  await installCrds(lab);
  options.report("building the operator's image");
  await loadImage(lab, options);
  options.report("installing Gatewright");
  const manifests = await mustRun(["node", "--conditions=source", path.join(root, "charts/src/main.ts"), "install"]);
  await lab.kubectl(["apply", "--server-side", "--filename=-"], manifests);
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
