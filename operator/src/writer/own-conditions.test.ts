import assert from "node:assert/strict";
import * as config from "@gatewright/crd-types/config/v1";
import * as gateway from "@gatewright/crd-types/gateway/v1";
import { faultConditions, ownConditions } from "./own-conditions.ts";

describe("the conditions that are ours", () => {
  it("are all that the API types define", () => {
    const defined = Object.entries({ ...gateway, ...config }).flatMap(([name, value]) =>
      /Condition(Status)?[A-Z]/.test(name) && typeof value === "string" ? [value] : [],
    );
    assert.ok(defined.includes("AddressesAssigned"));
    assert.deepEqual([...new Set(defined)].toSorted(), [...ownConditions].toSorted());
    assert.ok(faultConditions.isSubsetOf(ownConditions));
  });
});
