import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseAllDocuments } from "yaml";
import { runCodegen } from "../../../codegen/src/anywhere/index.ts";
import { goEnvironment } from "../../../codegen/src/go/go.ts";

const root = path.resolve(import.meta.dirname, "../../..");

/** What `validators.ts` exports, as far as tests call it. */
export type Validators = {
  readonly validate: (
    object: unknown,
    options?: { readonly unknownFields?: "refuse" | "drop" },
  ) => readonly { readonly path: readonly (string | number)[]; readonly message: string }[];
  readonly complete: (object: unknown) => unknown;
};

/** A project of somebody who uses what is generated: strict, and with nothing installed but what the documentation asks for. */
export function makeProject(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "gw-codegen-"));
  for (const [name, target] of [
    ["@gatewright/crd-types", "crd-types"],
    ["@bufbuild/cel", "node_modules/@bufbuild/cel"],
    ["cdk8s", "node_modules/cdk8s"],
    ["constructs", "node_modules/constructs"],
  ] as const) {
    const link = path.join(folder, "node_modules", name);
    mkdirSync(path.dirname(link), { recursive: true });
    symlinkSync(path.join(root, target), link);
  }
  writeFileSync(path.join(folder, "package.json"), '{ "type": "module" }\n');
  const compilerOptions = {
    target: "es2024",
    module: "nodenext",
    types: [],
    noEmit: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noPropertyAccessFromIndexSignature: true,
    noImplicitOverride: true,
    noImplicitReturns: true,
    noUnusedLocals: true,
    noUnusedParameters: true,
    verbatimModuleSyntax: true,
    isolatedModules: true,
    erasableSyntaxOnly: true,
    skipLibCheck: true,
    // Our own packages are taken from their sources here.
    customConditions: ["source"],
    allowImportingTsExtensions: true,
  };
  writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["**/*.ts"] }));
  return folder;
}

/** What the compiler finds wrong in a project. */
export function compilerErrors(folder: string): string {
  const tsc = path.join(root, "node_modules/.bin/tsc");
  const { stdout, stderr } = spawnSync(tsc, ["-p", folder], { encoding: "utf8" });
  return stdout + stderr;
}

/** Runs the command. */
export async function codegen(...words: readonly string[]) {
  const lines: { readonly out: string[]; readonly err: string[] } = { out: [], err: [] };
  const status = await runCodegen(words, {
    out: (line) => lines.out.push(line),
    err: (line) => lines.err.push(line),
  });
  return { status, ...lines };
}

/** The folder of a Go module, which Go fetches if it does not have it. */
export function goModuleFolder(module: string): string {
  const env = { ...process.env, ...goEnvironment };
  const { stdout, error } = spawnSync("go", ["mod", "download", "-json", module], {
    cwd: tmpdir(),
    env,
    encoding: "utf8",
  });
  assert.equal(error, undefined, `Go is needed to fetch ${module}`);
  const answer: { readonly Dir?: string; readonly Error?: string } = JSON.parse(stdout || "{}");
  assert.ok(
    answer.Dir !== undefined,
    `the Go module ${module} cannot be fetched (is there a way to GOPROXY?): ${answer.Error}`,
  );
  return answer.Dir;
}

export type Document = Readonly<Record<string, unknown>> & { readonly kind?: string };

/** All documents of the YAML files of a folder, with the name of their file. */
export const documentsIn = (folder: string): readonly { readonly file: string; readonly document: Document }[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".yaml") && statSync(path.join(folder, file)).isFile())
    .flatMap((file) =>
      parseAllDocuments(readFileSync(path.join(folder, file), "utf8")).map((document) => ({
        file,
        document: (document.toJS() ?? {}) as Document,
      })),
    )
    .filter(({ document }) => document.kind !== undefined);
