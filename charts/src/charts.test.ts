import assert from "node:assert/strict";
import { Testing } from "cdk8s";
import { Crds, UserRoles } from "./index.ts";

type Synthesized = {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Record<string, string> };
};

describe("Crds", () => {
  const namesOf = (channel: "standard" | "experimental") => {
    const objects: Synthesized[] = Testing.synth(new Crds(Testing.app(), "crds", channel));
    return new Map(
      objects.map(({ metadata }) => [metadata.name, metadata.annotations?.["gateway.networking.k8s.io/channel"]]),
    );
  };

  it("has the Gateway API's kinds of a channel, marked so, and ours", () => {
    const standard = namesOf("standard");
    assert.equal(standard.get("httproutes.gateway.networking.k8s.io"), "standard");
    assert.ok(standard.has("httpfilters.config.aether.io"));
    assert.ok(standard.has("meshconfigs.config.aether.io"));
    const experimental = namesOf("experimental");
    assert.equal(experimental.get("httproutes.gateway.networking.k8s.io"), "experimental");
    assert.ok([...standard.keys()].every((name) => experimental.has(name)));
    assert.ok(experimental.size > standard.size);
  });

  it("has the definitions of an overlay in place of those of the same name, and marks them", () => {
    const objects: Synthesized[] = Testing.synth(
      new Crds(Testing.app(), "crds", "experimental", "cluster-trust-bundle-ref"),
    );
    const names = objects.map(({ metadata }) => metadata.name);
    assert.deepEqual([...new Set(names)], names);
    assert.deepEqual(names.toSorted(), [...namesOf("experimental").keys()].toSorted());
    const marked = objects.filter(({ metadata }) => metadata.annotations?.["gatewright.dev/overlay"] !== undefined);
    assert.deepEqual(marked.map(({ metadata }) => metadata.name).toSorted(), [
      "backendtlspolicies.gateway.networking.k8s.io",
      "gateways.gateway.networking.k8s.io",
    ]);
    assert.ok(marked.every((definition) => JSON.stringify(definition).includes('"clusterTrustBundleRef"')));
  });
});

describe("UserRoles", () => {
  it("lets who views a namespace read HTTPFilters, who edits it write them, and neither touch MeshConfigs", () => {
    const roles = Testing.synth(new UserRoles(Testing.app(), "roles"));
    assert.deepEqual(
      roles.map(({ metadata, rules }: { metadata: { name: string; labels: object }; rules: unknown }) => [
        metadata.name,
        Object.keys(metadata.labels).toSorted(),
        rules,
      ]),
      [
        [
          "gatewright-view",
          [
            "rbac.authorization.k8s.io/aggregate-to-admin",
            "rbac.authorization.k8s.io/aggregate-to-edit",
            "rbac.authorization.k8s.io/aggregate-to-view",
          ],
          [{ apiGroups: ["config.aether.io"], resources: ["httpfilters"], verbs: ["get", "list", "watch"] }],
        ],
        [
          "gatewright-edit",
          ["rbac.authorization.k8s.io/aggregate-to-admin", "rbac.authorization.k8s.io/aggregate-to-edit"],
          [
            {
              apiGroups: ["config.aether.io"],
              resources: ["httpfilters"],
              verbs: ["create", "delete", "deletecollection", "patch", "update"],
            },
          ],
        ],
      ],
    );
  });
});
