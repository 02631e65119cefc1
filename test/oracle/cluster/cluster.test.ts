import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { findKind } from "@gatewright/crd-types";
import { schemas } from "@gatewright/crd-types/schemas";
import { gatewayApiFolder } from "../../lab/index.ts";
import { cases, examples } from "./corpus.ts";
import { agree, digestOf, isMeantToDiffer, ourVerdict } from "./verdict.ts";

describe("check, compared with a real API server", function () {
  this.timeout(120_000);

  const recorded = readFileSync(path.join(import.meta.dirname, "verdicts.txt"), "utf8")
    .trimEnd()
    .split("\n");
  const all = cases();

  it("has a verdict for each object of the corpus (else run record.ts)", () => {
    assert.ok(all.length >= 5_000);
    assert.equal(recorded.length, all.length);
    for (const [index, one] of all.entries())
      assert.equal(recorded[index]?.split(" ", 2).join(" "), `${one.kind} ${digestOf(one)}`);
  });

  it("takes and refuses the Gateway API's own examples alike", async () => {
    const lines = readFileSync(path.join(import.meta.dirname, "examples.txt"), "utf8")
      .trimEnd()
      .split("\n");
    const ours = examples(await gatewayApiFolder("sigs.k8s.io/gateway-api")).flatMap(({ file, objects }) =>
      objects.flatMap((object) => {
        const info = findKind(String(object["apiVersion"]), String(object["kind"]));
        if (info === undefined || !(info.id in schemas)) return [];
        return [`${file} ${info.id} ${ourVerdict({ object }) === "ok" ? "ok" : "refused"}`];
      }),
    );
    assert.ok(ours.length > 100);
    assert.deepEqual(ours, lines);
  });

  for (const [kind, indexes] of Map.groupBy(all.keys(), (index) => all[index]?.kind ?? ""))
    it(`takes, refuses and names the same fields: ${kind}`, () => {
      for (const index of indexes) {
        const one = all[index];
        const theirs = recorded[index]?.split(" ").slice(2).join(" ") ?? "";
        if (one === undefined || isMeantToDiffer(one)) continue;
        const ours = ourVerdict(one);
        assert.ok(agree(one, ours, theirs), `${JSON.stringify(one.object)}\n  ours:   ${ours}\n  theirs: ${theirs}`);
      }
    });
});
