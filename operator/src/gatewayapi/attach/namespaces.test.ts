import assert from "node:assert/strict";
import type { LabelSelector } from "@gatewright/crd-types/meta/v1";
import { allowsNamespace, labelsOf, matchesSelector } from "./namespaces.ts";

const labels = { team: "a", stage: "prod" };

describe("matchesSelector()", () => {
  const cases: readonly (readonly [string, LabelSelector, boolean])[] = [
    ["an empty selector", {}, true],
    ["labels that are there", { matchLabels: { team: "a" } }, true],
    ["labels of which one is another", { matchLabels: { team: "a", stage: "test" } }, false],
    ["labels of which one is missing", { matchLabels: { region: "eu" } }, false],
    ["In", { matchExpressions: [{ key: "team", operator: "In", values: ["b", "a"] }] }, true],
    ["In without the value", { matchExpressions: [{ key: "team", operator: "In", values: ["b"] }] }, false],
    ["In for a missing label", { matchExpressions: [{ key: "region", operator: "In", values: [""] }] }, false],
    ["In without values", { matchExpressions: [{ key: "team", operator: "In" }] }, false],
    ["NotIn", { matchExpressions: [{ key: "team", operator: "NotIn", values: ["b"] }] }, true],
    ["NotIn with the value", { matchExpressions: [{ key: "team", operator: "NotIn", values: ["a"] }] }, false],
    ["NotIn for a missing label", { matchExpressions: [{ key: "region", operator: "NotIn", values: ["eu"] }] }, true],
    ["NotIn without values", { matchExpressions: [{ key: "region", operator: "NotIn" }] }, false],
    ["Exists", { matchExpressions: [{ key: "team", operator: "Exists" }] }, true],
    ["Exists for a missing label", { matchExpressions: [{ key: "region", operator: "Exists" }] }, false],
    ["DoesNotExist", { matchExpressions: [{ key: "region", operator: "DoesNotExist" }] }, true],
    ["DoesNotExist for a label", { matchExpressions: [{ key: "team", operator: "DoesNotExist" }] }, false],
    ["an operator that nobody knows", { matchExpressions: [{ key: "team", operator: "Like" }] }, false],
    ["what every object inherits", { matchExpressions: [{ key: "constructor", operator: "Exists" }] }, false],
    [
      "labels and expressions of which one does not hold",
      { matchLabels: { team: "a" }, matchExpressions: [{ key: "stage", operator: "DoesNotExist" }] },
      false,
    ],
  ];
  for (const [title, selector, matches] of cases)
    it(`${matches ? "takes" : "does not take"} ${title}`, () =>
      assert.equal(matchesSelector(selector, labels), matches));
});

describe("labelsOf()", () => {
  it("has the name that the API server gives, whatever the object says", () => {
    assert.deepEqual(labelsOf("apps", undefined), { "kubernetes.io/metadata.name": "apps" });
    assert.equal(labelsOf("apps", { "kubernetes.io/metadata.name": "x" })["kubernetes.io/metadata.name"], "apps");
  });
});

describe("allowsNamespace()", () => {
  const never = () => assert.fail("labels are not asked for");

  it("takes all", () => assert.ok(allowsNamespace({ kind: "all" }, "infra", "apps", never)));

  it("takes the same only", () => {
    assert.ok(allowsNamespace({ kind: "same" }, "infra", "infra", never));
    assert.ok(!allowsNamespace({ kind: "same" }, "infra", "apps", never));
  });

  it("takes those selected", () => {
    const selected = { kind: "selector", selector: { matchLabels: { team: "a" } } } as const;
    assert.ok(allowsNamespace(selected, "infra", "apps", () => labels));
    assert.ok(!allowsNamespace(selected, "infra", "infra", () => ({})));
  });

  it("takes none", () => assert.ok(!allowsNamespace({ kind: "none" }, "infra", "infra", never)));
});
