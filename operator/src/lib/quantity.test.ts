import assert from "node:assert/strict";
import { parseQuantity } from "./quantity.ts";

describe("parseQuantity()", () => {
  it("takes what Kubernetes takes", () => {
    const cases: Record<string, number> = {
      "1": 1,
      "250m": 0.25,
      "1.5": 1.5,
      "1Ki": 1024,
      "1k": 1000,
      "2e3": 2000,
      "1E": 1e18,
      "0.5Gi": 2 ** 29,
    };
    for (const [text, number] of Object.entries(cases)) assert.equal(parseQuantity(text), number, text);
  });

  it("takes nothing else", () => {
    for (const text of ["", "m", "1 Gi", "1gi", "one", "1Kib"]) assert.equal(parseQuantity(text), undefined, text);
  });
});
