// What the API server asks of any condition: one that it refuses leaves the whole status of its object as it was, for ever.
import assert from "node:assert/strict";
import { goldenCases } from "../support/golden.ts";
import { openCase } from "../support/translation-case.ts";
import { conditionsIn } from "../support/translation-dump.ts";

/** https://github.com/kubernetes/apimachinery/blob/v0.37.2/pkg/apis/meta/v1/types.go (Condition) */
const reasonForm = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;
const maxReason = 1024;
const maxMessage = 32_768;

describe("conditions of all golden cases", () => {
  it("have reasons that are words, and messages of a length that the API server takes", () => {
    let seen = 0;
    for (const { name, documents } of goldenCases("gatewayapi")) {
      const { statuses } = openCase(documents);
      for (const key of statuses.keys()) {
        const status = statuses.get(key);
        assert.ok(status);
        for (const [, { type, reason, message }] of conditionsIn(status)) {
          seen++;
          const where = `${name}: ${key} ${type} ${reason}`;
          assert.match(reason, reasonForm, where);
          assert.ok(reason.length <= maxReason && message.length <= maxMessage, where);
        }
      }
    }
    assert.ok(seen > 500, `${seen} conditions`);
  });

  it("are of one type each within a list", () => {
    for (const { name, documents } of goldenCases("gatewayapi")) {
      const { statuses } = openCase(documents);
      for (const key of statuses.keys())
        for (const list of conditionLists(statuses.get(key)?.status)) {
          const types = list.map(({ type }) => type);
          assert.equal(new Set(types).size, types.length, `${name}: ${key} ${types.join(" ")}`);
        }
    }
  });
});

type Typed = { readonly type: string };

function* conditionLists(value: unknown): Generator<readonly Typed[]> {
  if (typeof value !== "object" || value === null) return;
  for (const [name, entry] of Object.entries(value))
    if (name === "conditions" && Array.isArray(entry)) yield entry.filter(isTyped);
    else yield* conditionLists(entry);
}

const isTyped = (value: unknown): value is Typed =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
