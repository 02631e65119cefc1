import assert from "node:assert/strict";
import { resourcePath } from "./resource-path.ts";

describe("resourcePath()", () => {
  const deployments = { group: "apps", version: "v1", plural: "deployments" };

  it("leads to lists, objects and their parts", () => {
    assert.equal(resourcePath(deployments), "/apis/apps/v1/deployments");
    assert.equal(resourcePath({ ...deployments, namespace: "web" }), "/apis/apps/v1/namespaces/web/deployments");
    assert.equal(
      resourcePath({ ...deployments, namespace: "web", name: "front", subresource: "status" }),
      "/apis/apps/v1/namespaces/web/deployments/front/status",
    );
  });

  it("knows the core group", () => {
    assert.equal(resourcePath({ group: "", version: "v1", plural: "namespaces", name: "a" }), "/api/v1/namespaces/a");
    assert.equal(
      resourcePath({ group: "", version: "v1", plural: "secrets", namespace: "a", name: "b" }),
      "/api/v1/namespaces/a/secrets/b",
    );
  });

  it("lets no name leave its place", () => {
    assert.equal(resourcePath({ ...deployments, name: "a/b?c" }), "/apis/apps/v1/deployments/a%2Fb%3Fc");
  });
});
