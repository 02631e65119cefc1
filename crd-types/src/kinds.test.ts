import assert from "node:assert/strict";
import { findKind, findKindInGroup, groupOf, kinds, versionOf } from "./index.ts";

describe("groupOf() and versionOf()", () => {
  it("take an apiVersion apart", () => {
    assert.equal(groupOf("gateway.networking.k8s.io/v1beta1"), "gateway.networking.k8s.io");
    assert.equal(versionOf("gateway.networking.k8s.io/v1beta1"), "v1beta1");
    assert.equal(groupOf("v1"), "");
    assert.equal(versionOf("v1"), "v1");
  });
});

describe("findKind()", () => {
  it("finds a kind in any of its versions", () => {
    assert.equal(findKind("gateway.networking.k8s.io/v1", "HTTPRoute")?.id, "HTTPRoute");
    assert.equal(findKind("gateway.networking.k8s.io/v1beta1", "HTTPRoute"), kinds.HTTPRoute);
    assert.equal(findKind("v1", "Service"), kinds.Service);
  });

  it("finds nothing in another group", () => {
    assert.equal(findKind("v1", "HTTPRoute"), undefined);
    assert.equal(findKind("serving.knative.dev/v1", "Service"), undefined);
    assert.equal(findKindInGroup("", "Nothing"), undefined);
    assert.equal(findKindInGroup("config.aether.io", "HTTPFilter"), kinds.HTTPFilter);
  });
});
