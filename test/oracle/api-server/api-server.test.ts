import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { schemas } from "@gatewright/crd-types/schemas";
import type { Schema } from "@gatewright/crd-types/schema";
import { isStoredKind } from "../../../operator/src/store/index.ts";
import type { Case } from "./corpus.ts";
import { essence, isMeantToDiffer, ourVerdict, type Verdict } from "./verdict.ts";

const recorded: readonly (Case & Verdict)[] = JSON.parse(
  readFileSync(path.join(import.meta.dirname, "verdicts.json"), "utf8"),
);

/** What these rules refuse is refused by patterns and enumerations before. */
const beforehand: ReadonlySet<string> = new Set([
  "type must be one of ['Exact', 'PathPrefix', 'RegularExpression']",
  "Hostnames must be valid based on RFC-1123",
  "Wildcards on hostnames must be the first label, and the rest of hostname must be valid based on RFC-1123",
]);

describe("manifests, compared with the code of kubectl and the API server", () => {
  const groups = Map.groupBy(recorded, ({ kind }) => kind ?? "plain text");

  for (const [kind, cases] of groups)
    it(`come to the same verdicts: ${kind}`, () => {
      for (const { json, data, problems, ...one } of cases) {
        if (isMeantToDiffer(one)) continue;
        const theirs = { json, problems, ...(data === undefined ? {} : { data }) };
        assert.deepEqual(essence(ourVerdict(one), one), essence(theirs, one), one.text);
      }
    });

  it("have broken every rule of the kinds that are served", () => {
    const said = (kind: string) => (groups.get(kind) ?? []).flatMap(({ problems }) => problems).join("\n");
    const unbroken = Object.entries(schemas)
      .filter(([kind]) => isStoredKind(kind))
      .flatMap(([kind, schema]) => [...rulesOf(schema)].map((message) => ({ kind, message })))
      .filter(({ kind, message }) => !said(kind).includes(message) && !beforehand.has(message));
    assert.deepEqual(unbroken, []);
  });
});

/** The messages of all rules but those about changes and about statuses. */
function rulesOf(schema: Schema): Set<string> {
  const found = new Set<string>();
  const { status: _, ...properties } = schema.properties ?? {};
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      if (name !== "x-kubernetes-validations") visit(inner);
      else for (const { rule, message } of inner) if (!rule.includes("oldSelf")) found.add(message);
    }
  };
  visit(properties);
  return found;
}
