// Where things stand in an image.

export const appFolder = "app";

/** Those of this repository's packages that it holds, in the order in which they are built. */
export const ownPackages = ["crd-types", "constructs", "operator"] as const;

export const nodePath = "usr/local/bin/node";

/** The command, which is also what a container runs. */
export const launcherPath = "usr/local/bin/gatewright";

export const sbomPath = "usr/share/doc/gatewright/sbom.spdx.json";

/** What the command finds in its environment, besides what is set where it runs. */
export const environment: Readonly<Record<string, string>> = {
  PATH: "/usr/local/bin:/usr/bin",
  // What Node trusts besides the authorities that it brings: an admin may put another file there.
  SSL_CERT_FILE: "/etc/ssl/certs/ca-certificates.crt",
  // The root may be read-only: what can be had again goes where something writable is usually mounted.
  GATEWRIGHT_CACHE: "/tmp/gatewright",
  // MiB for each half of where new objects are made. V8 goes by the memory that it may use: up to 128 MiB in all on a machine with 24 GiB, 33 where
  // the limit is 1 GiB. All of it stays resident. The 8 MiB that these are cost no CPU that could be measured.
  NODE_OPTIONS: "--max-semi-space-size=4",
};
