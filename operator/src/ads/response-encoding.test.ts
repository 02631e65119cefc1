import { fromBinary } from "@bufbuild/protobuf";
import {
  DeltaDiscoveryResponseSchema,
  DiscoveryResponseSchema,
} from "@gatewright/crd-types/proto/envoy/service/discovery/v3/discovery_pb";
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Resource } from "./resource.ts";
import { encodeResponse } from "./response-encoding.ts";
import { traits } from "./resource-types.ts";

const typeUrl = traits.virtualHost.typeUrl;

const arbitraryResource: fc.Arbitrary<Resource> = fc.record({
  name: fc.string({ unit: "grapheme", minLength: 1 }),
  version: fc.string({ minLength: 1, maxLength: 11 }),
  typeUrl: fc.constant(typeUrl),
  // Around the sizes at which a length takes one byte more.
  body: fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.constant(new Uint8Array(20_000).fill(7))),
});

describe("responses, encoded by hand", () => {
  it("are what a decoder of the delta protocol reads", () => {
    fc.assert(
      fc.property(
        fc.array(arbitraryResource, { maxLength: 5 }),
        fc.array(fc.string({ unit: "grapheme", minLength: 1 })),
        (resources, removed) => {
          const bytes = encodeResponse({ type: "virtualHost", form: "delta", resources, removed }, "n1");
          const message = fromBinary(DeltaDiscoveryResponseSchema, bytes);
          assert.equal(message.typeUrl, typeUrl);
          assert.equal(message.nonce, "n1");
          assert.deepEqual(message.removedResources, removed);
          assert.deepEqual(
            message.resources.map(({ name, version, resource }) => ({
              name,
              version,
              typeUrl: resource?.typeUrl,
              body: Buffer.from(resource?.value ?? []),
            })),
            resources.map((resource) => ({ ...resource, body: Buffer.from(resource.body) })),
          );
        },
      ),
    );
  });

  it("are what a decoder of the state-of-the-world protocol reads", () => {
    fc.assert(
      fc.property(fc.array(arbitraryResource, { maxLength: 5 }), (resources) => {
        const bytes = encodeResponse({ type: "virtualHost", form: "whole", resources, removed: [] }, "n2");
        const message = fromBinary(DiscoveryResponseSchema, bytes);
        assert.equal(message.typeUrl, typeUrl);
        assert.equal(message.nonce, "n2");
        assert.notEqual(message.versionInfo, "");
        assert.deepEqual(
          message.resources.map((any) => [any.typeUrl, Buffer.from(any.value)]),
          resources.map(({ body }) => [typeUrl, Buffer.from(body)]),
        );
      }),
    );
  });

  it("have a version that is that of the content", () => {
    const versionOf = (...resources: Resource[]) =>
      fromBinary(
        DiscoveryResponseSchema,
        encodeResponse({ type: "virtualHost", form: "whole", resources, removed: [] }, "n"),
      ).versionInfo;
    const make = (name: string, version: string): Resource => ({ name, version, typeUrl, body: new Uint8Array() });
    assert.equal(versionOf(make("a", "1"), make("b", "1")), versionOf(make("b", "1"), make("a", "1")));
    assert.notEqual(versionOf(make("a", "1")), versionOf(make("a", "2")));
    assert.notEqual(versionOf(make("a", "1")), versionOf());
  });
});
