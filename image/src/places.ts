// Where things stand in an image.

export const appFolder = "app";

/** Those of this repository's packages that it holds, in the order in which they are built. */
export const ownPackages = ["crd-types", "constructs", "operator"] as const;

export const nodePath = "usr/local/bin/node";

/** The command, which is also what a container runs. */
export const launcherPath = "usr/local/bin/gatewright";

export const sbomPath = "usr/share/doc/gatewright/sbom.spdx.json";
