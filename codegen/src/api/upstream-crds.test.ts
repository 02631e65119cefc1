import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { runWithGo } from "../go/go.ts";
import { root } from "../root.ts";
import { buildApitypes, readModel } from "./apitypes.ts";
import { emitCrds } from "./emit.ts";
import { request } from "./modules.ts";

const isCrd = (document: unknown) =>
  typeof document === "object" && document !== null && Reflect.get(document, "kind") === "CustomResourceDefinition";

describe("CRDs of the Gateway API", function () {
  this.timeout(300_000);
  let shipped: string;
  let emitted: ReadonlyMap<string, string>;

  before(async () => {
    const cwd = path.join(root, "crd-types/go");
    const found = await runWithGo("go", ["list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/gateway-api"], { cwd });
    assert.equal(found.exitCode, 0, found.stderr);
    shipped = path.join(found.stdout.trim(), "config/crd");
    await buildApitypes(() => {});
    emitted = emitCrds(await readModel(request));
  });

  // The module ships ValidatingAdmissionPolicies in the same folders.
  const shippedCrds = (channel: string) =>
    readdirSync(path.join(shipped, channel))
      .filter((file) => file.endsWith(".yaml"))
      .map((file) => ({
        file,
        documents: parseAllDocuments(readFileSync(path.join(shipped, channel, file), "utf8"))
          .map((document): unknown => document.toJS())
          .filter(isCrd),
      }))
      .filter(({ documents }) => documents.length > 0);

  for (const channel of ["standard", "experimental"]) {
    it(`are those that the module ships in the ${channel} channel, in every field, rule and annotation`, () => {
      const expected = shippedCrds(channel);
      const ours = [...emitted.keys()]
        .filter((file) => file.startsWith(`${channel}/`))
        .map((file) => path.basename(file));
      assert.deepEqual(ours.toSorted(), expected.map(({ file }) => file).toSorted());
      assert.ok(expected.length >= 10);
      for (const { file, documents } of expected) {
        assert.equal(documents.length, 1);
        assert.deepEqual(parse(emitted.get(`${channel}/${file}`) ?? ""), documents[0], file);
      }
    });
  }
});
