import assert from "node:assert/strict";
import { makeCertificate } from "../../../test/support/certificates.ts";
import { checkExtension, controllerName, rootNamespace } from "../../../test/support/translation.ts";
import { silentLogger } from "../lib/index.ts";
import { createReconciler } from "./index.ts";

describe("createReconciler()", () => {
  it("knows what time it is, and so which certificates have expired", async () => {
    const { certificate, privateKey } = makeCertificate({
      dnsNames: ["a.example.com"],
      notBefore: new Date("2019-01-01T00:00:00Z"),
      notAfter: new Date("2020-01-01T00:00:00Z"),
    });
    const reconciler = createReconciler({
      logger: silentLogger,
      settings: { controllerName, rootNamespace },
      checkExtension,
    });
    const { objects } = reconciler.store;
    const group = "gateway.networking.k8s.io/v1";
    objects.GatewayClass.set("ours", {
      apiVersion: group,
      kind: "GatewayClass",
      metadata: { name: "ours" },
      spec: { controllerName },
    });
    objects.Gateway.set("infra/gw", {
      apiVersion: group,
      kind: "Gateway",
      metadata: { name: "gw", namespace: "infra" },
      spec: {
        gatewayClassName: "ours",
        listeners: [{ name: "web", port: 443, protocol: "HTTPS", tls: { certificateRefs: [{ name: "cert" }] } }],
      },
    });
    objects.Secret.set("infra/cert", {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "cert", namespace: "infra" },
      type: "kubernetes.io/tls",
      stringData: { "tls.crt": certificate, "tls.key": privateKey },
    });
    reconciler.synced();
    reconciler.apply([]);
    await reconciler.settled();
    const status = JSON.stringify(reconciler.statuses.get("Gateway infra/gw")?.status);
    await reconciler.close();
    assert.match(status, /Secret infra\/cert: the certificate expired at 2020-01-01T00:00:00Z/);
  });
});
