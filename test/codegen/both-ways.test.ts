// Go types and the CRDs that come of them lead to the same types.
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { codegen, compilerErrors, makeProject, type Validators } from "./support/generated.ts";

const module = path.resolve(import.meta.dirname, "../../crd-types/go");

describe("gatewright-codegen from Go types, and from their CRDs", function () {
  this.timeout(300_000);
  let project: string;
  const at = (...parts: readonly string[]) => path.join(project, ...parts);
  before(async () => {
    project = makeProject();
    const packages = ["anywhere", "widgets"].flatMap((name) => ["--packages", `./testdata/${name}/v1`]);
    const common = ["--import-extension", "ts", "--quiet"];
    const fromGo = await codegen("from-go", module, ...packages, "--out", at("go"), ...common);
    assert.deepEqual(fromGo, { status: 0, out: [], err: [] });
    const fromCrds = await codegen("from-crds", at("go/crds"), "--out", at("crds"), ...common);
    assert.deepEqual(fromCrds, { status: 0, out: [], err: [] });
  });
  after(() => rmSync(project, { recursive: true, force: true }));

  it("comes to the same types, which compile", () => {
    writeFileSync(
      at("same.ts"),
      `import type { ObjectMap as Go } from "./go/index.ts";
import type { ObjectMap as Crds } from "./crds/index.ts";
declare const byGo: Go;
declare const byCrds: Crds;
export const there: Crds = byGo;
export const back: Go = byCrds;
export const names: readonly (keyof Go)[] = [${["anywhere.example.com/v1/Thing", "widgets.example.com/v1/Widget"].map((name) => JSON.stringify(name)).join(", ")}];
`,
    );
    assert.equal(compilerErrors(project), "");
  });

  it("has of Go what kinds lead to, by the form that the schema gives it", () => {
    const text = readFileSync(at("go/types/anywhere.example.com/v1.ts"), "utf8");
    assert.ok(
      text.includes('export type State = "failed" | "ready";') ||
        text.includes('export type State = "ready" | "failed";'),
      text,
    );
    assert.ok(text.includes("export type Percent = string;"));
    assert.ok(text.includes("  readonly note: string | null;\n"));
    assert.ok(!text.includes("Helper") && !text.includes("Patience"));
    assert.ok(text.includes('export const Unknown = "";'));
  });

  it("validates as the schema says", async () => {
    const { validate }: Validators = await import(at("go/validators.ts"));
    const thing = {
      apiVersion: "anywhere.example.com/v1",
      kind: "Thing",
      metadata: { name: "a", namespace: "b" },
      spec: { state: "ready", size: 1, note: null, fill: "10%", free: { any: [1] }, volumeMode: "Odd" },
    };
    assert.deepEqual(validate(thing), []);
    const paths = validate({ ...thing, spec: { ...thing.spec, state: "", size: "many", timeout: 3 } }).map((one) =>
      one.path.join("."),
    );
    assert.deepEqual(paths.toSorted(), ["spec.size", "spec.state", "spec.timeout"]);
    assert.deepEqual(
      validate({ ...thing, kind: "Thong" }).map(({ message }) => message),
      ["kind: this is none of the kinds that are known here"],
    );
  });

  it("refuses versions that are not served", async () => {
    const text = readFileSync(at("go/crds/anywhere.example.com_things.yaml"), "utf8");
    writeFileSync(at("old.yaml"), text.replaceAll("anywhere.", "old.").replace("served: true", "served: false"));
    const { status } = await codegen(
      "from-crds",
      at("old.yaml"),
      "--out",
      at("old"),
      "--import-extension",
      "ts",
      "--quiet",
    );
    assert.equal(status, 0);
    const { validate }: Validators = await import(at("old/validators.ts"));
    const thing = { apiVersion: "old.example.com/v1", kind: "Thing", metadata: { name: "a" }, spec: {} };
    assert.deepEqual(validate(thing), [
      { path: ["apiVersion"], message: "apiVersion: Thing is not served in this version, but in none" },
    ]);
  });
});
