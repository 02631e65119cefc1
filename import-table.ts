// Who may import what: data for the linter, written into its configuration by .projenrc.ts.

// Imports go one way. A folder may import what its row names and nothing else; `operator/src/main.ts` may import everything.
const operatorFolders = [
  "lib",
  "ir",
  "store",
  "kubernetes",
  "source",
  "discovery",
  "gatewayapi",
  "xds",
  "ads",
  "infra",
  "identity",
  "lease",
  "telemetry",
  "reconcile",
  "writer",
  "overview",
  "standalone",
  "operator",
  "check",
  "cli",
] as const;
type OperatorFolder = (typeof operatorFolders)[number];
const libraries = [
  "@gatewright/crd-types",
  "@gatewright/constructs",
  "@bufbuild/cel",
  "@bufbuild/protobuf",
  "@bufbuild/protovalidate",
  "@grpc/grpc-js",
  "@kubernetes/client-node",
  "@peculiar/x509",
  "commander",
  "pino",
  "prom-client",
  "re2js",
  "reflect-metadata",
  "js-yaml",
  "yaml",
  "cdk8s",
  "constructs",
  "ts-morph",
  "projen",
] as const;
type Library = (typeof libraries)[number];

const importTable: Record<OperatorFolder, { folders: readonly OperatorFolder[]; libraries: readonly Library[] }> = {
  lib: { folders: [], libraries: ["pino", "re2js"] },
  ir: { folders: ["lib"], libraries: [] },
  store: { folders: ["lib"], libraries: ["@gatewright/crd-types"] },
  kubernetes: { folders: ["lib"], libraries: ["@gatewright/crd-types", "@kubernetes/client-node", "js-yaml"] },
  source: {
    folders: ["kubernetes", "lib", "store"],
    libraries: ["@gatewright/crd-types", "@bufbuild/cel", "js-yaml", "yaml"],
  },
  discovery: { folders: ["kubernetes", "lib", "store"], libraries: ["@gatewright/crd-types"] },
  gatewayapi: { folders: ["ir", "lib", "store"], libraries: ["@gatewright/crd-types"] },
  xds: {
    folders: ["ir", "lib"],
    libraries: ["@gatewright/crd-types", "@bufbuild/protobuf", "@bufbuild/protovalidate"],
  },
  // Its tests speak to it with the client of grpc-js.
  ads: { folders: ["lib"], libraries: ["@gatewright/crd-types", "@bufbuild/protobuf", "@grpc/grpc-js"] },
  infra: {
    folders: ["ir", "lib"],
    libraries: ["@gatewright/crd-types", "@gatewright/constructs", "cdk8s", "constructs"],
  },
  identity: {
    folders: ["kubernetes", "lib"],
    libraries: ["@gatewright/crd-types", "@peculiar/x509", "reflect-metadata"],
  },
  lease: { folders: ["kubernetes", "lib"], libraries: ["@gatewright/crd-types"] },
  telemetry: { folders: ["lib"], libraries: ["prom-client"] },
  reconcile: { folders: ["ir", "lib", "store", "gatewayapi", "xds"], libraries: ["@gatewright/crd-types"] },
  writer: { folders: ["gatewayapi", "kubernetes", "lib", "store"], libraries: ["@gatewright/crd-types", "yaml"] },
  overview: { folders: ["gatewayapi", "lib", "source", "store"], libraries: ["@gatewright/crd-types"] },
  standalone: {
    folders: ["ir", "lib", "store", "source", "gatewayapi", "xds", "ads", "reconcile", "writer", "overview"],
    libraries: ["@gatewright/crd-types", "yaml"],
  },
  check: {
    folders: ["ir", "lib", "store", "kubernetes", "source", "gatewayapi", "xds", "overview"],
    libraries: ["@gatewright/crd-types"],
  },
  operator: {
    folders: operatorFolders.filter(
      (name) => name !== "standalone" && name !== "check" && name !== "cli" && name !== "operator",
    ),
    libraries: ["@gatewright/crd-types"],
  },
  cli: {
    folders: operatorFolders.filter((name) => name !== "cli"),
    libraries: ["@gatewright/crd-types", "commander", "yaml"],
  },
};

const escape = (name: string) => name.replaceAll(/[/.]/g, (char) => `\\${char}`);
const restrict = (files: string, patterns: readonly { regex: string; message: string }[]) => ({
  files: [files],
  rules: { "no-restricted-imports": ["error", { patterns }] },
});
const anyOf = (names: readonly string[]) => `(${names.map(escape).join("|")})`;
const forbidLibraries = (place: string, allowed: readonly string[]) => ({
  regex: `^${anyOf(libraries.filter((name) => !allowed.includes(name)))}(/|$)`,
  message: `${place} may not import this library: see the import table`,
});

// Everything but `index.ts`, `testing/index.ts` and `kubernetes/index.ts`, spelled out: the linter's regular expressions know no look-ahead.
// A part for clusters is entered by itself: who runs in one does not load what files need.
const deviations = (name: string) =>
  Array.from({ length: name.length - 1 }, (_, at) => `${escape(name.slice(0, at + 1))}[^${name[at + 1] ?? ""}]`);
const entries = ["index.", "testing/index.", "kubernetes/index."];
const notIndex = `(${["[^itk]", ...entries.flatMap(deviations)].join("|")}).*$`;

/** The table as rules of the linter. */
export const boundaries = [
  restrict("crd-types/src/**/*.ts", [forbidLibraries("crd-types", [])]),
  restrict("crd-types/src/protobuf/**/*.ts", [forbidLibraries("crd-types/protobuf", ["@bufbuild/protobuf"])]),
  restrict("crd-types/src/rules/**/*.ts", [forbidLibraries("crd-types/rules", ["@bufbuild/cel"])]),
  restrict("constructs/src/**/*.ts", [forbidLibraries("constructs", ["@gatewright/crd-types", "cdk8s", "constructs"])]),
  restrict("charts/src/**/*.ts", [
    forbidLibraries("charts", ["@gatewright/crd-types", "@gatewright/constructs", "cdk8s", "constructs", "yaml"]),
  ]),
  restrict("codegen/src/**/*.ts", [forbidLibraries("codegen", ["ts-morph", "yaml", "@bufbuild/protobuf"])]),
  // It says which rules of a CRD will not be looked at; what it writes for crd-types it does not need.
  restrict("codegen/src/anywhere/**/*.ts", [
    forbidLibraries("codegen", ["ts-morph", "yaml", "@gatewright/crd-types", "@bufbuild/cel"]),
  ]),
  ...operatorFolders.map((folder) =>
    restrict(`operator/src/${folder}/**/*.ts`, [
      {
        regex: `^(\\.\\./)+${anyOf(operatorFolders.filter((other) => other !== folder && !importTable[folder].folders.includes(other)))}/`,
        message: `${folder} may not import this folder: see the import table`,
      },
      {
        regex: `^(\\.\\./)+(${operatorFolders.filter((other) => other !== folder).join("|")})/${notIndex}`,
        message: "a folder is entered through its index.ts",
      },
      forbidLibraries(folder, importTable[folder].libraries),
    ]),
  ),
];
