// ClusterTrustBundles and who names them, as files have them: what a cluster with the released CRDs or with our overlay would take.
import assert from "node:assert/strict";
import { makeCertificate } from "../../../../test/support/certificates.ts";
import { readObjects } from "./read-object.ts";

const authority = makeCertificate({ dnsNames: ["authority"], authority: true });
const leaf = makeCertificate({ dnsNames: ["leaf"] });

const policy = (validation: object) => ({
  apiVersion: "gateway.networking.k8s.io/v1",
  kind: "BackendTLSPolicy",
  metadata: { name: "a" },
  spec: {
    targetRefs: [{ group: "", kind: "Service", name: "app" }],
    validation: { hostname: "app.example.com", ...validation },
  },
});

const gateway = (validation: object, perPort: object = {}) => ({
  apiVersion: "gateway.networking.k8s.io/v1",
  kind: "Gateway",
  metadata: { name: "a" },
  spec: {
    gatewayClassName: "gatewright",
    listeners: [{ name: "web", port: 80, protocol: "HTTP" }],
    tls: { frontend: { default: { validation }, ...perPort } },
  },
});

const bundle = (trustBundle: string, name = "platform", signerName?: string) => ({
  apiVersion: "certificates.k8s.io/v1",
  kind: "ClusterTrustBundle",
  metadata: { name },
  spec: { ...(signerName !== undefined && { signerName }), trustBundle },
});

const ref = { name: "example.com:internal-signer:v1" };
const references = [{ group: "", kind: "ConfigMap", name: "ca" }];
const unified = { group: "certificates.k8s.io", kind: "ClusterTrustBundle", name: "platform" };

const good: Readonly<Record<string, object>> = {
  "a policy by the overlay's field": policy({ clusterTrustBundleRef: ref }),
  "a policy as released": policy({ caCertificateRefs: [unified] }),
  "a Gateway by the overlay's field": gateway({ clusterTrustBundleRef: ref }),
  "a Gateway by both": gateway({ clusterTrustBundleRef: ref, caCertificateRefs: references }),
  "a Gateway as released": gateway({ caCertificateRefs: [unified] }),
  "a Gateway's port by the overlay's field": gateway(
    { caCertificateRefs: references },
    { perPort: [{ port: 443, tls: { validation: { clusterTrustBundleRef: ref } } }] },
  ),
  "a bundle": bundle(authority.certificate),
  "a bundle of a signer": bundle(
    authority.certificate,
    "example.com:internal-signer:v1",
    "example.com/internal-signer",
  ),
  "a bundle in another version": { ...bundle(authority.certificate), apiVersion: "certificates.k8s.io/v1beta1" },
};

const oneOf =
  /exactly one of the fields in \[caCertificateRefs clusterTrustBundleRef wellKnownCACertificates\] must be set/;

const bad: Readonly<Record<string, readonly [object, RegExp]>> = {
  "two sources of trust": [policy({ clusterTrustBundleRef: ref, caCertificateRefs: references }), oneOf],
  "a bundle beside what is well known": [
    policy({ clusterTrustBundleRef: ref, wellKnownCACertificates: "System" }),
    oneOf,
  ],
  "all three": [
    policy({ clusterTrustBundleRef: ref, caCertificateRefs: references, wellKnownCACertificates: "System" }),
    oneOf,
  ],
  "no source of trust": [policy({}), /exactly one of the fields in/],
  "no reference": [policy({ caCertificateRefs: [] }), /should have at least 1 items/],
  "another kind": [
    policy({ clusterTrustBundleRef: { ...ref, kind: "ConfigMap" } }),
    /must reference a ClusterTrustBundle/,
  ],
  "another group": [policy({ clusterTrustBundleRef: { ...ref, group: "" } }), /must reference a ClusterTrustBundle/],
  "no name": [policy({ clusterTrustBundleRef: {} }), /name: Required value/],
  "a field too many": [policy({ clusterTrustBundleRef: { ...ref, namespace: "a" } }), /unknown field.*namespace/],
  "another kind on a Gateway": [
    gateway({ clusterTrustBundleRef: { ...ref, kind: "Secret" } }),
    /must reference a ClusterTrustBundle/,
  ],
  "nobody on a Gateway": [gateway({}), /caCertificateRefs: Required value/],
  "no references beside a bundle": [
    gateway({ clusterTrustBundleRef: ref, caCertificateRefs: [] }),
    /should have at least 1 items/,
  ],
  "a namespace of a bundle": [
    gateway({ caCertificateRefs: [{ ...unified, namespace: "infra" }] }),
    /ClusterTrustBundle references must not specify namespace/,
  ],
  "a bundle with a private key": [
    bundle(authority.certificate + authority.privateKey),
    /spec\.trustBundle: Invalid value: "<value omitted>": entry 1 has bad block type: PRIVATE KEY/,
  ],
  "a bundle that is empty": [bundle(""), /at least one trust anchor must be provided/],
  "a bundle of a server's certificate": [bundle(leaf.certificate), /entry 0 does not have the CA bit set/],
  "one twice in a bundle": [
    bundle(authority.certificate + authority.certificate),
    /duplicate trust anchor \(indices \[0 1\]\)/,
  ],
  "a bundle that is too long": [bundle(`${authority.certificate}${"#".repeat(1024 * 1024)}`), /Too long/],
  "a colon without a signer": [bundle(authority.certificate, "a:b"), /without signer name must not have ":"/],
  "a name that is not the signer's": [
    bundle(authority.certificate, "platform", "example.com/signer"),
    /must be named with prefix example\.com:signer:/,
  ],
  "a signer that is none": [
    bundle(authority.certificate, "signer:v1", "signer"),
    /must be a fully qualified domain and path/,
  ],
};

const errorsOf = (object: object) =>
  readObjects(object).problems.flatMap(({ severity, message }) => (severity === "error" ? [message] : []));

describe("ClusterTrustBundles in files", () => {
  for (const [title, object] of Object.entries(good))
    it(`takes ${title}`, () => {
      assert.deepEqual(readObjects(object).problems, []);
      assert.equal(readObjects(object).objects.length, 1);
    });

  it("fills in what the overlay's field names", () => {
    const [read] = readObjects(policy({ clusterTrustBundleRef: ref })).objects;
    assert.ok(read?.kind === "BackendTLSPolicy" && "spec" in read.object);
    assert.partialDeepStrictEqual(read.object.spec, {
      validation: {
        clusterTrustBundleRef: { group: "certificates.k8s.io", kind: "ClusterTrustBundle", name: ref.name },
      },
    });
  });

  for (const [title, [object, message]] of Object.entries(bad))
    it(`refuses ${title}`, () => {
      assert.match(errorsOf(object).join("\n"), message);
      assert.doesNotMatch(errorsOf(object).join("\n"), /BEGIN/);
      assert.deepEqual(readObjects(object).objects, []);
    });
});
