// Objects in (`gatewayapi/*.in.yaml`, and beside them a document of `kind: Case`), IR and statuses out (`gatewayapi/*.out.yaml`).
import assert from "node:assert/strict";
import { createXdsTables, staticConfig } from "../../operator/src/xds/index.ts";
import { refusedByEnvoy, type StaticConfig } from "../support/envoy-validate.ts";
import { checkGolden, checkOrphans, goldenCases } from "../support/golden.ts";
import { openCase } from "../support/translation-case.ts";
import { conditionsIn, dumpTranslation } from "../support/translation-dump.ts";

const cases = goldenCases("gatewayapi");

describe("golden: gatewayapi", function () {
  this.timeout(120_000);

  for (const { name, documents } of cases)
    it(name, () => checkGolden("gatewayapi", name, dumpTranslation(openCase(documents))));

  it("has no outputs left over", () => checkOrphans("gatewayapi"));

  it("is taken by Envoy", async () => {
    const configs = new Map<string, StaticConfig>();
    for (const { name, documents } of cases) {
      const { graph, ir } = openCase(documents);
      // What an HTTPFilter configures is not real here.
      if (ir.extensionUses.size() > 0) continue;
      const tables = createXdsTables(graph, ir);
      graph.settle();
      assert.deepEqual([...tables.problems.keys()], [], name);
      for (const proxy of ir.proxies.keys()) configs.set(`${name} ${proxy}`, staticConfig(tables, proxy));
    }
    assert.ok(configs.size > 30);
    assert.deepEqual(Object.fromEntries(await refusedByEnvoy(configs)), {});
  });

  it("shows every condition that Gateways and attachment can bring forth", () => {
    const shown = new Set<string>();
    for (const { documents } of cases) {
      const { statuses } = openCase(documents);
      for (const key of statuses.keys()) {
        const status = statuses.get(key);
        assert.ok(status);
        for (const [place, { type, status: value, reason }] of conditionsIn(status))
          shown.add(`${place} ${type}=${value} ${reason}`);
      }
    }
    assert.deepEqual(
      expected.filter((condition) => !shown.has(condition)),
      [],
    );
  });
});

const expected: readonly string[] = [
  "GatewayClass Accepted=False InvalidParameters",
  "GatewayClass Accepted=True Accepted",
  "GatewayClass SupportedVersion=True SupportedVersion",
  "Gateway Accepted=False InvalidParameters",
  "Gateway Accepted=False ListenersNotValid",
  "Gateway Accepted=False UnsupportedAddress",
  "Gateway Accepted=True Accepted",
  "Gateway Accepted=True ListenersNotValid",
  "Gateway AddressesAssigned=False NotAssigned",
  "Gateway AddressesAssigned=False PartiallyAssigned",
  "Gateway AddressesAssigned=True AddressesAssigned",
  "Gateway Programmed=False AddressNotAssigned",
  "Gateway Programmed=False AddressNotUsable",
  "Gateway Programmed=False Invalid",
  "Gateway Programmed=False Pending",
  "Gateway Programmed=True Programmed",
  "Gateway ResolvedRefs=False ListenersNotResolved",
  "Gateway ResolvedRefs=True ResolvedRefs",
  "Listener Accepted=False HostnameConflict",
  "Listener Accepted=False PortUnavailable",
  "Listener Accepted=False ProtocolConflict",
  "Listener Accepted=False UnsupportedProtocol",
  "Listener Accepted=False UnsupportedValue",
  "Listener Accepted=True Accepted",
  "Listener Conflicted=False NoConflicts",
  "Listener Conflicted=True HostnameConflict",
  "Listener Conflicted=True ProtocolConflict",
  "Listener OverlappingTLSConfig=True OverlappingHostnames",
  "Listener Programmed=False HostnameConflict",
  "Listener Programmed=False Invalid",
  "Listener Programmed=False Pending",
  "Listener Programmed=False ProtocolConflict",
  "Listener Programmed=True Programmed",
  "Listener Accepted=False NoValidCACertificate",
  "Listener ResolvedRefs=False InvalidCACertificateKind",
  "Listener ResolvedRefs=False InvalidCACertificateRef",
  "Listener ResolvedRefs=False InvalidCertificateRef",
  "Listener ResolvedRefs=False InvalidKind",
  "Listener ResolvedRefs=False InvalidRouteKinds",
  "Listener ResolvedRefs=False RefNotPermitted",
  "Listener ResolvedRefs=True ResolvedRefs",
  "ListenerSet Accepted=False ListenersNotValid",
  "ListenerSet Accepted=False NotAllowed",
  "ListenerSet Accepted=False ParentNotAccepted",
  "ListenerSet Accepted=True Accepted",
  "ListenerSet Accepted=True ListenersNotValid",
  "ListenerSet Programmed=False Invalid",
  "ListenerSet Programmed=False ListenersNotValid",
  "ListenerSet Programmed=False NotAllowed",
  "ListenerSet Programmed=False ParentNotProgrammed",
  "ListenerSet Programmed=False Pending",
  "ListenerSet Programmed=True Programmed",
  "HTTPRoute Accepted=False IncompatibleFilters",
  "HTTPRoute Accepted=False NoMatchingListenerHostname",
  "HTTPRoute Accepted=False NoMatchingParent",
  "HTTPRoute Accepted=False NotAllowedByListeners",
  "HTTPRoute Accepted=False Rejected",
  "HTTPRoute Accepted=True Accepted",
  "HTTPRoute PartiallyInvalid=True IncompatibleFilters",
  "HTTPRoute ResolvedRefs=False BackendNotFound",
  "HTTPRoute ResolvedRefs=True ResolvedRefs",
  "BackendTLSPolicy Accepted=False NoValidCACertificate",
  "BackendTLSPolicy Accepted=True Accepted",
  "BackendTLSPolicy ResolvedRefs=False InvalidCACertificateRef",
  "BackendTLSPolicy ResolvedRefs=False InvalidKind",
  "BackendTLSPolicy ResolvedRefs=True ResolvedRefs",
  "HTTPFilter Accepted=False Invalid",
  "HTTPFilter Accepted=False Rejected",
  "HTTPFilter Accepted=True Accepted",
  "MeshConfig Accepted=False Invalid",
  "MeshConfig Accepted=True Accepted",
];
