// Mistakes that people have reported, of this and of other implementations: each must be told before there is a cluster.
import assert from "node:assert/strict";
import { type KeyKind, makeCertificate } from "../../../test/support/certificates.ts";
import { check } from "./check.ts";
import { formatIdentity } from "./finding.ts";

const fixture = `apiVersion: v1
kind: Namespace
metadata: {name: team-a}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: gw, namespace: team-a}
spec:
  gatewayClassName: ours
  listeners: [{name: web, port: 8080, protocol: HTTP}]
---
apiVersion: v1
kind: Service
metadata: {name: app, namespace: team-a}
spec: {ports: [{name: http, port: 80, targetPort: 8000}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: app-1, namespace: team-a, labels: {kubernetes.io/service-name: app}}
addressType: IPv4
ports: [{name: http, port: 8000}]
endpoints: [{addresses: ["192.0.2.10"], conditions: {ready: true}}]
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: good, namespace: team-a}
spec:
  parentRefs: [{name: gw}]
  hostnames: [good.example.com]
  rules: [{backendRefs: [{name: app, port: 80}]}]
---
`;

const told = (text: string): readonly string[] =>
  check([{ name: "a.yaml", bytes: Buffer.from(fixture + text) }], {
    channel: "experimental",
    isComplete: true,
    controllerName: "gatewright.dev/gateway-controller",
    gatewayClass: "ours",
    rootNamespace: "gatewright-system",
    nowMs: Date.parse("2026-06-21T12:00:00Z"),
  }).findings.map((finding) =>
    [finding.severity, finding.rule, formatIdentity(finding), finding.field].filter((part) => part !== "").join(" "),
  );

const route = (rules: string, kind = "HTTPRoute") => `apiVersion: gateway.networking.k8s.io/v1
kind: ${kind}
metadata: {name: bad, namespace: team-a}
spec:
  parentRefs: [{name: gw}]
  hostnames: [bad.example.com]
  rules:
  ${rules.trim().replaceAll("\n", "\n  ")}
---
`;
const uses = (name: string, kind = "HTTPFilter", group = "config.aether.io") =>
  `- filters: [{type: ExtensionRef, extensionRef: {group: "${group}", kind: ${kind}, name: ${name}}}]\n  backendRefs: [{name: app, port: 80}]`;
const filter = (config: string) => `apiVersion: config.aether.io/v1
kind: HTTPFilter
metadata: {name: f, namespace: team-a}
spec:
  ${config.trim().replaceAll("\n", "\n  ")}
---
`;
const mutation = (mutations: string) =>
  filter(
    `filter: envoy.filters.http.header_mutation\ntypedConfig:\n  "@type": type.googleapis.com/envoy.extensions.filters.http.header_mutation.v3.HeaderMutationPerRoute\n  mutations: ${mutations}`,
  );
const extension = "spec.rules[0].filters[0].extensionRef";

const header = (operation: string) =>
  route(
    `- filters: [{type: RequestHeaderModifier, requestHeaderModifier: ${operation}}]\n  backendRefs: [{name: app, port: 80}]`,
  );

const cases: Readonly<Record<string, readonly [string, ...string[]]>> = {
  "nothing, where all is well": [""],
  "a filter that passes all rules and that Envoy's code refuses": [
    filter(
      'filter: envoy.filters.http.header_to_metadata\ntypedConfig:\n  "@type": type.googleapis.com/envoy.extensions.filters.http.header_to_metadata.v3.Config\n  request_rules: [{header: x-tenant}]',
    ) + route(uses("f")),
    "error envoy HTTPFilter team-a/f spec.typedConfig.request_rules[0]",
    `error InvalidFilter HTTPRoute team-a/bad ${extension}`,
  ],
  "a regular expression that is too large for Envoy": [
    route(
      '- matches: [{path: {type: RegularExpression, value: "/(alpha|beta|gamma|delta){1,40}/([a-z0-9]{1,200}x){1,40}"}}]',
    ),
    "error UnsupportedValue HTTPRoute team-a/bad spec.rules[0].matches[0].path.value",
  ],
  "a filter on a GRPCRoute, which works": [
    mutation('{response_mutations: [{append: {header: {key: x-stamp, value: "1"}}}]}') +
      route(`- matches: [{method: {service: demo.Echo, method: Say}}]\n${uses("f").replace("- ", "  ")}`, "GRPCRoute"),
  ],
  "a filter that is not there": [route(uses("not-there")), `error not-among-files HTTPRoute team-a/bad ${extension}`],
  "a kind with a typo": [route(uses("f", "HttpFilter")), `error InvalidKind HTTPRoute team-a/bad ${extension}`],
  "an empty group": [route(uses("f", "HTTPFilter", "")), `error InvalidKind HTTPRoute team-a/bad ${extension}`],
  "an unknown field of a filter": [
    mutation("{responseMutation: []}") + route(uses("f")),
    "error envoy HTTPFilter team-a/f spec.typedConfig.mutations.responseMutation",
    `error InvalidFilter HTTPRoute team-a/bad ${extension}`,
  ],
  "a pseudo-header": [
    header('{set: [{name: ":path", value: /x}]}'),
    "error schema HTTPRoute team-a/bad spec.rules[0].filters[0].requestHeaderModifier.set[0].name",
  ],
  "a header with a blank": [
    header("{set: [{name: x y, value: z}]}"),
    "error schema HTTPRoute team-a/bad spec.rules[0].filters[0].requestHeaderModifier.set[0].name",
  ],
};

describe("check() of reported mistakes", () => {
  for (const [name, [text, ...expected]] of Object.entries(cases))
    it(`tells ${name}`, () => assert.deepEqual(told(text).toSorted(), expected.toSorted()));

  it("tells headers that must be left alone", () => {
    for (const operation of ["{set: [{name: connection, value: close}]}", '{set: [{name: x, value: "a\\nb"}]}'])
      assert.match(
        told(header(operation)).join("\n"),
        /^error \w+ HTTPRoute team-a\/bad spec\.rules\[0\]\.filters\[0\]/,
      );
  });

  describe("with certificates", () => {
    const listener = `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: tls, namespace: team-a}
spec:
  gatewayClassName: ours
  listeners:
  - {name: ok, port: 8443, protocol: HTTPS, hostname: ok.example.com, tls: {certificateRefs: [{name: fine}]}}
  - {name: bad, port: 8443, protocol: HTTPS, hostname: bad.example.com, tls: {certificateRefs: [{name: mixed}]}}
---
`;
    const secret = (name: string, certificate: string, key: string) =>
      `apiVersion: v1\nkind: Secret\nmetadata: {name: ${name}, namespace: team-a}\ntype: kubernetes.io/tls\ndata: ${JSON.stringify({ "tls.crt": Buffer.from(certificate).toString("base64"), "tls.key": Buffer.from(key).toString("base64") })}\n---\n`;
    const dates = { notBefore: new Date("2026-01-01T00:00:00Z"), notAfter: new Date("2027-01-01T00:00:00Z") };
    const made = (options: { readonly key?: KeyKind } = {}) =>
      makeCertificate({ dnsNames: ["ok.example.com"], ...dates, ...options });
    const [one, other] = [made(), made()];
    const fine = secret("fine", one.certificate, one.privateKey);
    const refused = ["error InvalidCertificateRef Gateway team-a/tls spec.listeners[1].tls.certificateRefs[0]"];

    for (const [name, certificate, key] of [
      ["of another key", one.certificate, other.privateKey],
      ["that is empty", "", one.privateKey],
      ["that is no PEM", "\u0030\u0082", one.privateKey],
    ] as const)
      it(`tells one ${name}, and nothing of its neighbour`, () =>
        assert.deepEqual(told(listener + fine + secret("mixed", certificate, key)), refused));
  });

  describe("with authorities", () => {
    const policy = (ref: string) => `apiVersion: gateway.networking.k8s.io/v1
kind: BackendTLSPolicy
metadata: {name: app-tls, namespace: team-a}
spec:
  targetRefs: [{group: "", kind: Service, name: app, sectionName: http}]
  validation:
    hostname: app.internal.example.com
    caCertificateRefs: [${ref}]
---
`;
    const field = "BackendTLSPolicy team-a/app-tls spec.validation.caCertificateRefs[0]";
    const rulesOf = (text: string) => told(text).filter((line) => line.endsWith(field));

    it("tells kinds that hold none, objects that are not there and texts that are none", () => {
      assert.deepEqual(rulesOf(policy('{group: "", kind: Pod, name: x}')), [
        `error InvalidKind ${field}`,
        `error NoValidCACertificate ${field}`,
      ]);
      assert.deepEqual(rulesOf(policy('{group: "", kind: ConfigMap, name: missing}')), [
        `error not-among-files ${field}`,
      ]);
      const map =
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app-ca, namespace: team-a}\ndata: {ca.crt: "not pem"}\n';
      assert.deepEqual(rulesOf(policy('{group: "", kind: ConfigMap, name: app-ca}') + map), [
        `error InvalidCACertificateRef ${field}`,
        `error NoValidCACertificate ${field}`,
      ]);
    });

    it("tells a port that the Service does not name", () => {
      const text = policy('{group: "", kind: ConfigMap, name: missing}').replace(
        "sectionName: http",
        "sectionName: https",
      );
      assert(
        told(text).some((line) => line.includes("BackendTLSPolicy team-a/app-tls spec.targetRefs[0]")),
        told(text).join("\n"),
      );
    });
  });
});
