import assert from "node:assert/strict";
import type { ListenerFilter } from "@gatewright/crd-types/gateway/v1";
import { createGraph } from "../../lib/index.ts";
import type { BackendView } from "../backends/index.ts";
import type { FilterView } from "../views.ts";
import { checkListenerFilters } from "./listener-filters.ts";

const extension = (name: string, kind = "HTTPFilter"): ListenerFilter => ({
  type: "ExtensionRef",
  extensionRef: { group: "config.aether.io", kind, name },
});

const auth = (externalAuth: Partial<ListenerFilter["externalAuth"]> = {}): ListenerFilter => ({
  type: "ExternalAuth",
  externalAuth: { protocol: "HTTP", backendRef: { name: "asker", port: 80 }, ...externalAuth },
});

function check(...requests: readonly ListenerFilter[]) {
  const graph = createGraph();
  const filters = graph.source<FilterView>("filters");
  const listenerBackends = graph.source<BackendView>("listenerBackends");
  const config = { typeUrl: "", value: new Uint8Array() };
  filters.set("infra/good", { kind: "valid", filter: "a", scope: "route", config });
  filters.set("infra/chain", { kind: "valid", filter: "a", scope: "chain", config });
  filters.set("infra/bad", { kind: "invalid", reason: "Invalid", message: "is bad" });
  const grants = {
    permits: (from: { readonly namespace: string }, to: { readonly namespace: string }) =>
      from.namespace === to.namespace,
  };
  return checkListenerFilters({ filters: { requests } }, { kind: "Gateway", namespace: "infra" }, grants, {
    filters,
    listenerBackends,
  });
}

/** Files pass no API server, and newer APIs know more. */
const as = (filter: object): ListenerFilter => filter as ListenerFilter;

describe("checkListenerFilters()", () => {
  it("says nothing of listeners without filters", () => {
    assert.deepEqual(check(), { requests: [] });
  });

  it("keeps the order, and does not merge what is named twice", () => {
    const { requests, ...rest } = check(extension("good"), extension("good"));
    assert.equal(requests.length, 2);
    assert.deepEqual(rest, {});
  });

  const refused: readonly [what: string, filter: ListenerFilter, reason: string, message: RegExp][] = [
    ["a type that is not known", as({ type: "CORS", cors: {} }), "UnsupportedValue", /requests\[1\]\.type: "CORS"/],
    ["nothing of its type", as({ type: "ExternalAuth" }), "InvalidListenerFilter", /requests\[1\]: .* ExternalAuth/],
    ["more than its type", { ...auth(), ...extension("good") }, "InvalidListenerFilter", /nothing else/],
    ["another protocol", as(auth({ protocol: "FTP" as "HTTP" })), "UnsupportedValue", /protocol: "FTP"/],
    ["no path", auth({ http: { path: "a b" } }), "InvalidListenerFilter", /http\.path/],
    ["no header", auth({ http: { allowedResponseHeaders: ["a:b"] } }), "InvalidListenerFilter", /"a:b"/],
    ["no header of gRPC", auth({ protocol: "GRPC", grpc: { allowedHeaders: [""] } }), "InvalidListenerFilter", /""/],
    ["no size", auth({ forwardBody: { maxSize: -1 } }), "InvalidListenerFilter", /less than 0/],
    ["a bad HTTPFilter", extension("bad"), "InvalidListenerFilter", /extensionRef: HTTPFilter infra\/bad .*is bad/],
    ["one for Services", extension("chain"), "InvalidListenerFilter", /scope chain/],
  ];
  for (const [what, filter, reason, message] of refused)
    it(`refuses the listener, which lets nobody by, for ${what}`, () => {
      const checked = check(extension("good"), filter);
      assert.deepEqual(checked.requests, [{ kind: "respond", status: 500 }]);
      assert.equal(checked.blocked, true);
      assert.equal(checked.refusal?.reason, reason);
      assert.match(checked.refusal?.message ?? "", message);
      assert.equal(checked.unresolved, undefined);
    });

  const unresolved: readonly [what: string, filter: ListenerFilter, reason: string][] = [
    ["an HTTPFilter that is not there", extension("none"), "InvalidListenerFilterRef"],
    ["another kind", extension("good", "Other"), "InvalidListenerFilterRef"],
    ["a Service that is not there", auth(), "InvalidListenerFilterRef"],
    ["no Service", auth({ backendRef: { name: "a", kind: "Other", port: 80 } }), "InvalidListenerFilterRef"],
    ["no port", auth({ backendRef: { name: "a" } }), "InvalidListenerFilterRef"],
    [
      "what nobody has granted, whether it is there or not",
      auth({ backendRef: { name: "a", namespace: "b", port: 1 } }),
      "RefNotPermitted",
    ],
  ];
  for (const [what, filter, reason] of unresolved)
    it(`lets nobody by for a reference to ${what}`, () => {
      const checked = check(extension("good"), filter);
      assert.deepEqual(checked.requests, [{ kind: "respond", status: 500 }]);
      assert.equal(checked.unresolved?.reason, reason);
      assert.match(checked.unresolved?.message ?? "", /^filters\.requests\[1\]\./);
      assert.equal(checked.refusal, undefined);
    });

  it("tells all that is wrong, under the reason of the first", () => {
    const { refusal, unresolved: references } = check(extension("none"), auth(), extension("bad"));
    assert.equal(references?.reason, "InvalidListenerFilterRef");
    assert.match(references?.message ?? "", /requests\[0\].*requests\[1\]/);
    assert.match(refusal?.message ?? "", /requests\[2\]/);
  });
});
