// What is in an image, as SPDX 2.3 has it: https://spdx.github.io/spdx-spec/v2.3/
import { sha256 } from "./download.ts";
import type { Entry } from "./entry.ts";
import type { Pins } from "./debian/pins.ts";
import { nodePackage, nodeVersion } from "./node-layer.ts";
import { appFolder, ownPackages } from "./places.ts";
import type { Architecture } from "./platform.ts";
import type { LockFile, Manifest } from "./project.ts";

export type SbomInput = {
  readonly architecture: Architecture;
  readonly created: Date;
  readonly manifest: Manifest;
  readonly lock: LockFile;
  readonly pins: Pins;
  /** All that the image holds: only packages that are there are listed. */
  readonly entries: readonly Entry[];
};

type Component = {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly license?: string;
  readonly supplier?: string;
  readonly checksum?: { readonly algorithm: "SHA256" | "SHA512"; readonly hex: string };
};

export function buildSbom(input: SbomInput): unknown {
  const { architecture, created, manifest } = input;
  const components = [
    ...ownComponents(input),
    nodeComponent(input),
    ...npmComponents(input),
    ...debianComponents(input),
  ];
  const listed = components.toSorted((a, b) => (a.purl < b.purl ? -1 : 1));
  const rootId = "SPDXRef-image";
  const packages = listed.map((component) => ({ SPDXID: idOf(component), ...spdxPackage(component) }));
  return {
    spdxVersion: "SPDX-2.3",
    dataLicense: "CC0-1.0",
    SPDXID: "SPDXRef-DOCUMENT",
    name: `gatewright-${manifest.version}-linux-${architecture}`,
    documentNamespace: `https://gatewright.dev/sbom/${manifest.version}/linux-${architecture}/${sha256(JSON.stringify([created, packages]))}`,
    creationInfo: {
      created: created.toISOString().replace(/\.\d+Z$/, "Z"),
      creators: ["Organization: Gatewright", `Tool: gatewright-image-${manifest.version}`],
    },
    packages: [
      {
        SPDXID: rootId,
        ...spdxPackage({
          name: "gatewright",
          version: manifest.version,
          purl: `pkg:oci/gatewright?arch=${architecture}&tag=${manifest.version}`,
          license: manifest.license,
          supplier: "Organization: Gatewright",
        }),
        primaryPackagePurpose: "CONTAINER",
      },
      ...packages,
    ],
    relationships: [
      { spdxElementId: "SPDXRef-DOCUMENT", relationshipType: "DESCRIBES", relatedSpdxElement: rootId },
      ...packages.map(({ SPDXID }) => ({
        spdxElementId: rootId,
        relationshipType: "CONTAINS",
        relatedSpdxElement: SPDXID,
      })),
    ],
  };
}

const idOf = ({ purl }: Component): string => `SPDXRef-${purl.replace(/^pkg:/, "").replaceAll(/[^A-Za-z0-9.]+/g, "-")}`;

const spdxPackage = ({ name, version, purl, license, supplier, checksum }: Component) => ({
  name,
  versionInfo: version,
  ...(supplier !== undefined && { supplier }),
  downloadLocation: "NOASSERTION",
  filesAnalyzed: false,
  licenseConcluded: "NOASSERTION",
  licenseDeclared: license !== undefined && isExpression(license) ? license : "NOASSERTION",
  copyrightText: "NOASSERTION",
  ...(checksum && { checksums: [{ algorithm: checksum.algorithm, checksumValue: checksum.hex }] }),
  externalRefs: [{ referenceCategory: "PACKAGE-MANAGER", referenceType: "purl", referenceLocator: purl }],
});

/** Some packages say `SEE LICENSE IN …`, which is none. */
const isExpression = (text: string): boolean =>
  /^\(?[A-Za-z0-9.+-]+( (OR|AND|WITH) \(?[A-Za-z0-9.+-]+\)?)*\)?$/.test(text);

const npmPurl = (name: string, version: string) => `pkg:npm/${name.replace(/^@/, "%40")}@${version}`;

const ownComponents = ({ manifest }: SbomInput): readonly Component[] =>
  ownPackages.map((name) => ({
    name: `@gatewright/${name}`,
    version: manifest.version,
    purl: npmPurl(`@gatewright/${name}`, manifest.version),
    license: manifest.license,
    supplier: "Organization: Gatewright",
  }));

function nodeComponent({ lock, architecture }: SbomInput): Component {
  const version = nodeVersion(lock, architecture);
  const integrity = lock.packages[`node_modules/${nodePackage(architecture)}`]?.integrity;
  return {
    name: "node",
    version,
    purl: `pkg:generic/node@${version}?arch=${architecture}`,
    license: "MIT",
    ...checksumOf(integrity),
  };
}

function npmComponents({ lock, entries }: SbomInput): readonly Component[] {
  const present = new Set(
    entries
      .filter(({ path }) => path.startsWith(`${appFolder}/`) && path.endsWith("/package.json"))
      .map(({ path }) => path.slice(appFolder.length + 1, -"/package.json".length)),
  );
  const found = new Map<string, Component>();
  for (const [path, { version, license, integrity, link }] of Object.entries(lock.packages)) {
    const [, name] = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path) ?? [];
    if (name === undefined || version === undefined || link === true || !present.has(path)) continue;
    const purl = npmPurl(name, version);
    found.set(purl, { name, version, purl, ...(license !== undefined && { license }), ...checksumOf(integrity) });
  }
  return [...found.values()];
}

function checksumOf(integrity: string | undefined): Pick<Component, "checksum"> {
  const [, base64] = /^sha512-(\S+)$/.exec(integrity ?? "") ?? [];
  if (base64 === undefined) return {};
  return { checksum: { algorithm: "SHA512", hex: Buffer.from(base64, "base64").toString("hex") } };
}

const debianComponents = ({ pins, architecture }: SbomInput): readonly Component[] =>
  pins.packages[architecture].map(({ name, version, sha256: hex }) => ({
    name,
    version,
    purl: `pkg:deb/debian/${name.replaceAll("+", "%2B")}@${encodeURIComponent(version)}?arch=${architecture}&distro=${pins.release}`,
    supplier: "Organization: Debian",
    checksum: { algorithm: "SHA256", hex },
  }));
