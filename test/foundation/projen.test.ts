// What .projenrc.ts writes is committed as it writes it, and the import table that it holds is enforced.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);

describe("project files", function () {
  this.timeout(60_000);
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "gatewright-project-"));
  });

  afterEach(() => rm(folder, { recursive: true }));

  it("are what .projenrc.ts writes", async () => {
    const sources = [".projenrc.ts", "import-table.ts"];
    for (const source of sources) await cp(join(root, source), join(folder, source));
    await symlink(join(root, "node_modules"), join(folder, "node_modules"));
    await writeFile(join(folder, "package.json"), '{"type":"module"}');
    await run(process.execPath, [".projenrc.ts"], { cwd: folder, env: { ...process.env, PROJEN_DISABLE_POST: "1" } });
    const written = (await readdir(folder, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile() && !entry.parentPath.includes("node_modules"))
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .filter((path) => !sources.includes(path));
    assert.ok(written.length > 10, written.join(" "));
    for (const path of written) {
      const [fresh, committed] = await Promise.all([folder, root].map((base) => readFile(join(base, path), "utf8")));
      assert.equal(committed, fresh, `${path} differs: run \`npm run projen\``);
    }
  });

  const forbidden: readonly [string, string][] = [
    ["operator/src/xds/a.ts", "../gatewayapi/index.ts"],
    ["operator/src/gatewayapi/a.ts", "../xds/index.ts"],
    ["operator/src/gatewayapi/deep/a.ts", "../../ads/index.ts"],
    ["operator/src/ads/a.ts", "../ir/index.ts"],
    ["operator/src/ir/a.ts", "../store/index.ts"],
    ["operator/src/reconcile/a.ts", "../xds/tables.ts"],
    ["operator/src/gatewayapi/a.ts", "yaml"],
    ["operator/src/xds/a.ts", "@grpc/grpc-js"],
    ["crd-types/src/a.ts", "@bufbuild/protobuf"],
  ];
  const allowed: readonly [string, string][] = [
    ["operator/src/xds/a.ts", "../ir/index.ts"],
    ["operator/src/xds/deep/a.ts", "./b.ts"],
    ["operator/src/reconcile/a.ts", "../xds/index.ts"],
    ["operator/src/main.ts", "./xds/index.ts"],
    ["operator/src/ads/a.ts", "@grpc/grpc-js"],
  ];

  /** Whether the linter refuses that a file at `path` imports `from`. */
  async function isRefused(path: string, from: string): Promise<boolean> {
    await cp(join(root, ".oxlintrc.json"), join(folder, ".oxlintrc.json"));
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), `export { something } from "${from}";\n`);
    const { stdout } = await run(join(root, "node_modules/.bin/oxlint"), [path], { cwd: folder }).catch(
      (error: { stdout: string }) => error,
    );
    return stdout.includes("no-restricted-imports");
  }

  for (const [path, from] of forbidden)
    it(`keep ${path} from importing ${from}`, async () => assert.ok(await isRefused(path, from)));
  for (const [path, from] of allowed)
    it(`let ${path} import ${from}`, async () => assert.ok(!(await isRefused(path, from))));
});
