import assert from "node:assert/strict";
import { makeCertificate } from "../../../test/support/certificates.ts";
import {
  checkExtension,
  controllerName,
  parseManifests,
  rootNamespace,
  toChange,
} from "../../../test/support/translation.ts";
import { silentLogger } from "../lib/index.ts";
import { createReconciler } from "./reconciler.ts";

const group = "gateway.networking.k8s.io/v1";
const objects = `
apiVersion: ${group}
kind: GatewayClass
metadata: {name: gatewright}
spec: {controllerName: ${controllerName}}
---
apiVersion: ${group}
kind: Gateway
metadata: {name: gw, namespace: infra}
spec:
  gatewayClassName: gatewright
  tls:
    frontend:
      default:
        validation: {caCertificateRefs: [{group: certificates.k8s.io, kind: ClusterTrustBundle, name: platform}]}
  listeners: [{name: tls, port: 443, protocol: HTTPS, tls: {certificateRefs: [{name: cert}]}}]
---
apiVersion: certificates.k8s.io/v1
kind: ClusterTrustBundle
metadata: {name: platform}
spec: {trustBundle: ${JSON.stringify(makeCertificate({ dnsNames: ["a"], authority: true }).certificate)}}
`;

describe("createReconciler(), told of the kinds that can be read", () => {
  it("follows at run time what of it is in statuses and features", async () => {
    const settings = { controllerName, rootNamespace };
    const reconciler = createReconciler({ logger: silentLogger, settings, checkExtension });
    reconciler.apply(parseManifests(objects).map(toChange));
    const rounds: string[] = [];
    reconciler.onRound(({ statuses }) => rounds.push([...statuses].toSorted().join(", ")));
    const said = async () => {
      await reconciler.settled();
      const text = JSON.stringify(reconciler.statuses.get("Gateway infra/gw"));
      const hasFeature = JSON.stringify(reconciler.statuses.get("GatewayClass gatewright")).includes(
        "ClusterTrustBundle",
      );
      const reason = /InvalidKind|InvalidCACertificateRef/.exec(text)?.[0] ?? "resolved";
      return `${reason}, ${hasFeature ? "with" : "without"} the feature`;
    };
    try {
      reconciler.serve(new Map([["ClusterTrustBundle", { kind: "absent" }]]));
      reconciler.synced();
      assert.equal(await said(), "InvalidKind, without the feature");
      reconciler.serve(new Map());
      assert.equal(await said(), "resolved, with the feature");
      reconciler.serve(new Map([["ClusterTrustBundle", { kind: "unreadable", message: "403" }]]));
      assert.equal(await said(), "InvalidCACertificateRef, with the feature");
      reconciler.serve(new Map([["ClusterTrustBundle", { kind: "absent" }]]));
      assert.equal(await said(), "InvalidKind, without the feature");
      assert.deepEqual(rounds.slice(1), [
        "Gateway infra/gw, GatewayClass gatewright",
        "Gateway infra/gw",
        "Gateway infra/gw, GatewayClass gatewright",
      ]);
    } finally {
      await reconciler.close();
    }
  });
});
