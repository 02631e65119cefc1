import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parse } from "yaml";
import { root } from "../root.ts";
import { runCodegen } from "./command.ts";

const run = async (...words: readonly string[]) => {
  const lines: { readonly out: string[]; readonly err: string[] } = { out: [], err: [] };
  const status = await runCodegen(words, { out: (line) => lines.out.push(line), err: (line) => lines.err.push(line) });
  return { status, out: lines.out.join("\n"), err: lines.err.join("\n") };
};

const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: crontabs.stable.example.com
spec:
  group: stable.example.com
  scope: Namespaced
  names: { kind: CronTab, plural: crontabs }
  versions:
    - name: v1
      served: true
      storage: true
      subresources: { status: {} }
      schema:
        openAPIV3Schema:
          description: CronTab runs something by a clock.
          type: object
          required: [spec]
          properties:
            spec:
              type: object
              required: [schedule, description]
              x-kubernetes-validations:
                - rule: self.replicas < 10 || self.big
                  message: more than nine are big
              properties:
                schedule: { type: string, pattern: '^(\\S+ ){4}\\S+$', description: "When. */ hostile" }
                description: { type: string }
                replicas: { type: integer, default: 1, minimum: 0 }
                big: { type: boolean, default: false }
                policy: { type: string, enum: [Allow, Forbid] }
                port: { x-kubernetes-int-or-string: true }
                labels: { type: object, additionalProperties: { type: string } }
                anything: { type: object, x-kubernetes-preserve-unknown-fields: true }
                note: { type: string, nullable: true }
                "odd-name": { type: number }
                jobs:
                  type: array
                  x-kubernetes-list-type: map
                  x-kubernetes-list-map-keys: [name]
                  items:
                    type: object
                    required: [name]
                    properties:
                      name: { type: string }
                      env: { type: array, items: { type: object, properties: { name: { type: string } } } }
            status:
              type: object
              x-kubernetes-preserve-unknown-fields: true
              properties:
                last: { type: string, format: date-time }
`;

describe("gatewright-codegen", function () {
  this.timeout(300_000);
  let folder: string;
  const at = (...parts: readonly string[]) => path.join(folder, ...parts);
  const read = (file: string) => readFileSync(at(file), "utf8");

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "gw-codegen-"));
    writeFileSync(at("crontab.yaml"), `# A file may hold other things too.\n---\nkind: ConfigMap\n---\n${crd}`);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  describe("its words", () => {
    it("explains itself", async () => {
      const { status, out } = await run("--help");
      assert.equal(status, 0);
      assert.match(out, /^Usage: gatewright-codegen from-go MODULE@VERSION\|DIR/);
      assert.deepEqual(await run("--version"), { status: 0, out: "0.1.0", err: "" });
    });

    for (const [words, complaint] of [
      [[], "from-go or from-crds is missing"],
      [["from-protobuf", "a"], "from-protobuf is neither from-go nor from-crds"],
      [["from-crds", "a"], "--out DIR is missing"],
      [["from-crds", "--out", "a"], "from-crds needs FILE or DIR"],
      [["from-go", "--out", "a"], "from-go needs MODULE@VERSION or DIR"],
      [["from-go", "a", "b", "--out", "a"], "from-go reads one module, and b is another word"],
      [["from-crds", "a", "--packages", "./...", "--out", "a"], "--packages and --markers belong to from-go"],
      [["from-go", "a", "--markers", "maybe", "--out", "a"], "--markers is error or warn, not maybe"],
      [["from-crds", "a", "--import-extension", "mjs", "--out", "a"], "--import-extension is js or ts, not mjs"],
      [["from-crds", "a", "--owt", "a"], "Unknown option '--owt'"],
    ] as const)
      it(`refuses ${JSON.stringify(words)}`, async () => {
        const { status, err } = await run(...words);
        assert.equal(status, 2);
        assert.ok(err.startsWith(`gatewright-codegen: ${complaint}`), err);
      });
  });

  describe("what it writes for CRDs", () => {
    const generate = async (...more: readonly string[]) => {
      const result = await run(
        "from-crds",
        at("crontab.yaml"),
        "--out",
        at("out"),
        "--import-extension",
        "ts",
        ...more,
      );
      assert.equal(result.status, 0, result.err);
      return result;
    };

    it("has types for every sort of field", async () => {
      await generate();
      assert.equal(
        read("out/types/stable.example.com/v1.ts"),
        `// Written by gatewright-codegen. Do not edit.

import type * as metaV1 from "../meta/v1.ts";

/** CronTab runs something by a clock. */
export interface CronTab {
  readonly apiVersion: "stable.example.com/v1";
  readonly kind: "CronTab";
  readonly metadata: metaV1.ObjectMeta;
  readonly spec: CronTabSpec;
  readonly status?: CronTabStatus;
}

/** A list of objects of the kind CronTab. */
export interface CronTabList {
  readonly apiVersion: "stable.example.com/v1";
  readonly kind: "CronTabList";
  readonly metadata?: metaV1.ListMeta;
  readonly items: readonly CronTab[];
}

export interface CronTabSpec {
  /** When. *\\/ hostile */
  readonly schedule: string;
  readonly description: string;
  /** @defaultValue \`1\` */
  readonly replicas?: number;
  /** @defaultValue \`false\` */
  readonly big?: boolean;
  readonly policy?: "Allow" | "Forbid";
  readonly port?: number | string;
  readonly labels?: { readonly [key: string]: string };
  readonly anything?: { readonly [key: string]: unknown };
  readonly note?: string | null;
  readonly "odd-name"?: number;
  /** @listMapKeys name */
  readonly jobs?: readonly CronTabSpecJobs[];
}

export interface CronTabSpecJobs {
  readonly name: string;
  readonly env?: readonly CronTabSpecJobsEnv[];
}

export interface CronTabSpecJobsEnv {
  readonly name?: string;
}

export interface CronTabStatus {
  readonly last?: string;
  readonly [key: string]: unknown;
}
`,
      );
    });

    it("has the CRDs as they were, and schemas without descriptions", async () => {
      await generate();
      assert.deepEqual(parse(read("out/crds/stable.example.com_crontabs.yaml")), parse(crd));
      const schemas = read("out/schemas.ts");
      assert.ok(!schemas.includes("hostile"));
      // A field may be called so.
      assert.ok(schemas.includes(String.raw`\"description\":{\"type\":\"string\"}`), schemas);
    });

    it("has imports for those who compile, unless told otherwise", async () => {
      await run("from-crds", at("crontab.yaml"), "--out", at("js"), "--quiet", "--constructs");
      const texts = readdirSync(at("js"), { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".ts"))
        .map((file) => read(`js/${file}`))
        .join("\n");
      assert.doesNotMatch(texts, /from "\.[^"]*\.ts"/);
      assert.match(texts, /from "\.\/types\/stable\.example\.com\/v1\.js"/);
    });

    it("is written once, and anew when something has changed", async () => {
      assert.match((await generate()).err, /1 kinds, 7 files, 7 changed$/);
      assert.match((await generate()).err, /up to date$/);
      assert.match((await generate("--force")).err, /7 files, 0 changed$/);
      assert.match((await generate("--constructs")).err, /9 files, 2 changed$/);
      writeFileSync(at("crontab.yaml"), crd.replaceAll("stable.example.com", "beta.example.com"));
      await generate();
      // What is not written any more is gone, with the folders that it leaves empty.
      assert.deepEqual(readdirSync(at("out")).toSorted(), [
        ".gatewright-codegen.json",
        "crds",
        "index.ts",
        "kinds.ts",
        "schemas.ts",
        "types",
        "validators.ts",
      ]);
      assert.deepEqual(readdirSync(at("out/types")).toSorted(), ["beta.example.com", "meta"]);
      assert.deepEqual(readdirSync(at("out/crds")), ["beta.example.com_crontabs.yaml"]);
    });

    it("is left alone by --check, which names what differs", async () => {
      const check = () =>
        run("from-crds", at("crontab.yaml"), "--out", at("out"), "--import-extension", "ts", "--check", "--quiet");
      const { status, err } = await check();
      assert.equal(status, 1);
      assert.ok(err.startsWith(`${at("out/crds/stable.example.com_crontabs.yaml")}: is missing\n`), err);
      assert.ok(!readdirSync(folder).includes("out"));
      await generate();
      assert.deepEqual(await check(), { status: 0, out: "", err: "" });
      writeFileSync(at("out/index.ts"), "// mine\n");
      assert.deepEqual(await check(), { status: 1, out: "", err: `${at("out/index.ts")}: differs` });
      assert.equal(read("out/index.ts"), "// mine\n");
    });
  });

  describe("faults in CRDs", () => {
    const faultsOf = async (text: string) => {
      writeFileSync(at("bad.yaml"), text);
      const { status, err } = await run("from-crds", at("bad.yaml"), "--out", at("out"), "--quiet");
      assert.equal(status, 1);
      assert.ok(!readdirSync(folder).includes("out"), "nothing is written");
      return err.replaceAll(`${folder}/`, "");
    };

    it("are told with file and line, all of them", async () => {
      const text = [
        crd.replace("scope: Namespaced", "scope: Global"),
        crd.replace("apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1"),
        crd.replace("openAPIV3Schema:", "openAPIV2Schema:"),
      ].join("---\n");
      const lines = crd.split("\n").length;
      assert.deepEqual((await faultsOf(text)).split("\n"), [
        "bad.yaml:1: crontabs.stable.example.com: spec.scope is neither Namespaced nor Cluster",
        `bad.yaml:${lines + 1}: crontabs.stable.example.com: apiVersion is "apiextensions.k8s.io/v1beta1"; only apiextensions.k8s.io/v1 is read`,
        `bad.yaml:${2 * lines + 1}: crontabs.stable.example.com: spec.versions[0]: schema.openAPIV3Schema is missing`,
      ]);
    });

    it("may be faults of YAML, or two CRDs of one name, or none at all", async () => {
      assert.match(await faultsOf("kind: CustomResourceDefinition\nspec: [1\n"), /^bad\.yaml:\d+:\d+: \S/);
      assert.match(
        await faultsOf(`${crd}---\n${crd}`),
        /^bad\.yaml:\d+: crontabs\.stable\.example\.com is defined at bad\.yaml:1 too$/,
      );
      const bomb = Array.from(
        { length: 9 },
        (_, level) =>
          `a${level}: &a${level} [${Array(9)
            .fill(level === 0 ? "x" : `*a${level - 1}`)
            .join(", ")}]`,
      );
      assert.match(
        await faultsOf(`kind: CustomResourceDefinition\n${bomb.join("\n")}\n`),
        /^bad\.yaml:1: Excessive alias count/,
      );
      assert.equal(await faultsOf("kind: ConfigMap\n"), "bad.yaml: no CustomResourceDefinition is here");
    });

    it("are not what is missing", async () => {
      const { status, err } = await run("from-crds", at("nowhere"), "--out", at("out"), "--quiet");
      assert.deepEqual([status, err], [2, `${at("nowhere")}: there is no such file or folder`]);
    });
  });

  it("names the rules that it cannot check", async () => {
    writeFileSync(
      at("crontab.yaml"),
      crd.replace("self.replicas < 10 || self.big", "quantity(self.schedule).isInteger()"),
    );
    const { status, err } = await run("from-crds", at("crontab.yaml"), "--out", at("out"), "--quiet");
    assert.equal(status, 0);
    assert.equal(
      err,
      "warning: stable.example.com/v1 CronTab spec: a rule is not checked: the function isInteger is not known: quantity(self.schedule).isInteger()",
    );
  });

  describe("faults in Go types", () => {
    const module = path.join(root, "crd-types/go");
    const fromGo = (packages: string, ...more: readonly string[]) =>
      run("from-go", module, "--packages", packages, "--out", at("out"), "--quiet", ...more);

    it("are told with file and line: unknown and misplaced markers too", async () => {
      const { status, err } = await fromGo("./testdata/markers/v1");
      assert.equal(status, 1);
      assert.ok(
        err.includes("testdata/markers/v1/types.go:10:2: unknown marker +kubebuilder:validation:MaxItem\n"),
        err,
      );
      assert.ok(
        err.includes(
          "types.go:17:22: marker +optional has no effect behind what it describes: it belongs to a field\n",
        ),
        err,
      );
      assert.ok(err.includes('types.go:23:2: expected integer, got "many"'), err);
    });

    it("are the wrong values of markers, but not what markers without effect say, where that is asked for", async () => {
      const { status, err } = await fromGo("./testdata/markers/v1", "--markers", "warn");
      assert.equal(status, 1);
      assert.ok(err.includes('types.go:23:2: expected integer, got "many"'), err);
      assert.ok(!err.includes("MaxItem"), err);
    });

    it("are those that Go finds too", async () => {
      mkdirSync(at("api/v1"), { recursive: true });
      writeFileSync(at("go.mod"), "module example.com/x\n\ngo 1.27.0\n");
      writeFileSync(at("api/v1/types.go"), "// +groupName=x.example.com\npackage v1\n\ntype X struct {\n");
      const { status, err } = await run("from-go", folder, "--out", at("out"), "--quiet");
      assert.equal(status, 1);
      assert.match(err, /^[^\n]*\/api\/v1\/types\.go:4:\d+: expected ';', found 'EOF'/);
      assert.ok(err.startsWith(`${folder}/`), err);
    });

    it("are told apart from modules and packages that are not there", async () => {
      const missing = await fromGo("./testdata/nowhere/...");
      assert.equal(missing.status, 2);
      assert.ok(missing.err.includes("./testdata/nowhere/..."), missing.err);
      assert.deepEqual(await run("from-go", at("nowhere"), "--out", at("out"), "--quiet"), {
        status: 2,
        out: "",
        err: `${at("nowhere")} is neither a folder nor MODULE@VERSION`,
      });
      const none = await run("from-go", folder, "--out", at("out"), "--quiet");
      assert.deepEqual(
        [none.status, none.err],
        [2, `${folder}: there is no go.mod here or above, so this is no Go module`],
      );
    });
  });

  it("says so when a Go module cannot be fetched", async () => {
    const proxy = process.env["GOPROXY"];
    process.env["GOPROXY"] = "off";
    try {
      const { status, err } = await run("from-go", "modules.example.com/none@v1.0.0", "--out", at("out"), "--quiet");
      assert.equal(status, 2);
      assert.match(err, /^the Go module modules\.example\.com\/none@v1\.0\.0 cannot be fetched: \S/);
    } finally {
      if (proxy === undefined) delete process.env["GOPROXY"];
      else process.env["GOPROXY"] = proxy;
    }
  });

  it("reads a Go module in a folder, and does nothing more until it changes", async () => {
    const words = [
      "from-go",
      path.join(root, "crd-types/go"),
      "--packages",
      "./testdata/widgets/v1",
      "--out",
      at("out"),
    ];
    const first = await run(...words);
    assert.equal(first.status, 0, first.err);
    assert.match(read("out/types/widgets.example.com/v1.ts"), /readonly color\?: Color;/);
    assert.match((await run(...words)).err, /up to date$/);
  });
});
