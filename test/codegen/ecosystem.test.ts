// gatewright-codegen on Go modules of others, as they are published: what it makes of them is what they ship themselves.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import {
  codegen,
  compilerErrors,
  type Document,
  documentsIn,
  goModuleFolder,
  makeProject,
  type Validators,
} from "./support/generated.ts";

type Subject = {
  readonly name: string;
  readonly module: string;
  readonly packages: readonly string[];
  /** The module that ships the CRDs and the objects. */
  readonly shippedBy: string;
  readonly crds: string;
  readonly valid: string;
  readonly warnings: readonly string[];
  /** Objects that are not valid, and the paths that their problems name: files that the module ships, or valid ones with a change. */
  readonly invalid: readonly Invalid[];
};

type Invalid = {
  readonly file: string;
  readonly change?: (spec: Record<string, unknown>) => void;
  readonly paths: readonly string[];
};

const tests = "pkg/crdtest/testdata";

const subjects: readonly Subject[] = [
  {
    name: "flux",
    module: "github.com/fluxcd/source-controller/api@v1.10.1",
    packages: ["./..."],
    shippedBy: "github.com/fluxcd/source-controller@v1.10.1",
    crds: "config/crd/bases",
    valid: "config/samples",
    warnings: [
      "v1beta1/helmchart_types.go:71:2: unknown marker +deprecated",
      "v1beta2/helmchart_types.go:80:2: unknown marker +deprecated",
    ],
    invalid: [
      {
        file: "config/samples/source_v1_bucket.yaml",
        change: (spec) => (spec["provider"] = "ftp"),
        paths: ["spec.provider"],
      },
      {
        file: "config/samples/source_v1_bucket.yaml",
        change: (spec) => delete spec["endpoint"],
        paths: ["spec.endpoint"],
      },
      {
        // A rule in CEL.
        file: "config/samples/source_v1_bucket.yaml",
        change: (spec) => (spec["sts"] = { provider: "aws", endpoint: "https://sts.example.com" }),
        paths: ["spec"],
      },
      {
        file: "config/samples/source_v1_gitrepository.yaml",
        change: (spec) => (spec["interval"] = "soon"),
        paths: ["spec.interval"],
      },
      {
        file: "config/samples/source_v1_gitrepository.yaml",
        change: (spec) => (spec["urll"] = "x"),
        paths: ["spec.urll"],
      },
      {
        file: "config/samples/source_v1_helmchart_gitrepository.yaml",
        change: (spec) => (spec["verify"] = { provider: "cosign" }),
        paths: ["spec"],
      },
    ],
  },
  {
    name: "policies",
    module: "sigs.k8s.io/network-policy-api@v0.3.0",
    packages: ["./apis/v1alpha2", "./apis/v1beta1"],
    shippedBy: "sigs.k8s.io/network-policy-api@v0.3.0",
    crds: "config/crd/experimental",
    valid: `${tests}/valid`,
    warnings: [],
    invalid: [
      { file: `${tests}/invalid/cidr-invalid.yaml`, paths: ["spec.egress.0.to.0.networks.0"] },
      { file: `${tests}/invalid/egress-peer-namedport-conflict.experimental.yaml`, paths: ["spec.egress.0"] },
      {
        file: `${tests}/invalid/invalid-ingress-action.yaml`,
        paths: ["spec.ingress.0.action", "spec.ingress.0.from.0.namespaces.namespaceSelector"],
      },
      {
        file: `${tests}/invalid/port-range-invalid-equal.yaml`,
        paths: ["spec.egress.0.protocols.0.tcp.destinationPort.range"],
      },
      {
        file: `${tests}/invalid/port-range-invalid-greater.yaml`,
        paths: ["spec.egress.0.protocols.0.tcp.destinationPort.range"],
      },
    ],
  },
];

describe("gatewright-codegen on Go modules of the ecosystem", function () {
  this.timeout(300_000);
  let project: string;
  before(() => {
    project = makeProject();
  });
  after(() => rmSync(project, { recursive: true, force: true }));

  for (const subject of subjects)
    describe(subject.module, () => {
      let shipped: string;
      let validators: Validators;
      before(async () => {
        shipped = goModuleFolder(subject.shippedBy);
        const packages = subject.packages.flatMap((pattern) => ["--packages", pattern]);
        const common = ["--import-extension", "ts", "--constructs", "--quiet"];
        const into = (way: string) => ["--out", path.join(project, subject.name, way)];
        const fromGo = await codegen("from-go", subject.module, ...packages, ...into("go"), ...common);
        assert.deepEqual(fromGo, {
          status: 0,
          out: [],
          err: subject.warnings.map((line) => `warning: ${subject.module}/${line}`),
        });
        const fromCrds = await codegen("from-crds", path.join(shipped, subject.crds), ...into("crds"), ...common);
        // No word of a rule that is not known.
        assert.deepEqual(fromCrds, { status: 0, out: [], err: [] });
        validators = await import(path.join(project, subject.name, "go/validators.ts"));
      });

      it("makes the CRDs that the module ships", () => {
        const folder = path.join(project, subject.name, "go/crds");
        const made = new Map(
          readdirSync(folder).map((file) => [file, parse(readFileSync(path.join(folder, file), "utf8"))]),
        );
        const theirs = documentsIn(path.join(shipped, subject.crds)).filter(
          ({ document }) => document.kind === "CustomResourceDefinition",
        );
        assert.deepEqual([...made.keys()].toSorted(), theirs.map(({ file }) => file).toSorted());
        // Annotations tell who made them.
        const essence = ({ apiVersion, kind, metadata, spec }: Document) => ({
          apiVersion,
          kind,
          name: (metadata as { readonly name: string }).name,
          spec,
        });
        for (const { file, document } of theirs) assert.deepEqual(essence(made.get(file)), essence(document), file);
      });

      it("takes the objects that the module ships as valid", () => {
        const objects = documentsIn(path.join(shipped, subject.valid));
        assert.ok(objects.length >= 5);
        for (const { file, document } of objects) assert.deepEqual(validators.validate(document), [], file);
      });

      it("refuses those that are not, at the right place", () => {
        for (const { file, change, paths } of subject.invalid) {
          const document = parse(readFileSync(path.join(shipped, file), "utf8"));
          change?.(document.spec);
          const found = validators.validate(document).map((problem) => problem.path.join("."));
          assert.deepEqual(found.toSorted(), paths, `${file} ${String(change)}`);
        }
      });

      it("makes the same validators of the CRDs alone", async () => {
        const schemasOf = async (way: string) =>
          (await import(path.join(project, subject.name, way, "schemas.ts"))).schemas;
        assert.deepEqual(await schemasOf("go"), await schemasOf("crds"));
      });
    });

  describe("both ways", () => {
    it("writes types that compile under strict settings, and are the same by either way", () => {
      const lines = [
        'type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : "the second is wider") : "the first is wider";',
      ];
      for (const { name } of subjects) {
        lines.push(`import type { ObjectMap as ${name}Go } from "./${name}/go/index.ts";`);
        lines.push(`import type { ObjectMap as ${name}Crds } from "./${name}/crds/index.ts";`);
        lines.push(
          `type ${name}Kinds = { [Name in keyof ${name}Go]: Name extends keyof ${name}Crds ? Same<${name}Go[Name], ${name}Crds[Name]> : "missing" };`,
        );
        lines.push(
          `export const ${name}: ${name}Kinds[keyof ${name}Go] & (keyof ${name}Crds extends keyof ${name}Go ? true : "more") = true;`,
        );
      }
      // What does not fit is found.
      lines.push("// @ts-expect-error -- one has what the other has not");
      lines.push('export const different: Same<{ readonly a: "x" }, { readonly a: string }> = true;');
      writeFileSync(path.join(project, "same.ts"), `${lines.join("\n")}\n`);
      assert.equal(compilerErrors(project), "");
    });
  });
});
