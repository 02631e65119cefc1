import assert from "node:assert/strict";
import { makeCertificate } from "../../../test/support/certificates.ts";
import { check, type CheckOptions, type Verdict } from "./check.ts";
import { formatIdentity } from "./finding.ts";

const usual: CheckOptions = {
  channel: "experimental",
  isComplete: false,
  controllerName: "gatewright.dev/gateway-controller",
  gatewayClass: "gatewright",
  rootNamespace: "gatewright-system",
  nowMs: Date.parse("2026-06-21T12:00:00Z"),
};

const judge = (text: string | Uint8Array, options: Partial<CheckOptions> = {}): Verdict =>
  check([{ name: "a.yaml", bytes: typeof text === "string" ? Buffer.from(text) : text }], { ...usual, ...options });

/** `error 3:5 BackendNotFound HTTPRoute a/b spec.rules[0].backendRefs[0]` */
const told = (text: string | Uint8Array, options?: Partial<CheckOptions>): readonly string[] =>
  judge(text, options).findings.map((finding) =>
    [finding.severity, `${finding.line}:${finding.column}`, finding.rule, formatIdentity(finding), finding.field]
      .filter((part) => part !== "")
      .join(" "),
  );

const gateway = (listener = "{name: web, port: 80, protocol: HTTP}") => `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: gw, namespace: a}
spec:
  gatewayClassName: gatewright
  listeners:
  - ${listener}
---
`;
const route = (spec: string, name = "r", namespace = "a") => `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  ${spec.trim().replaceAll("\n", "\n  ")}
---
`;
const service = (name = "app") => `apiVersion: v1
kind: Service
metadata: {name: ${name}, namespace: a}
spec: {ports: [{port: 80}]}
---
`;
const parent = "parentRefs: [{name: gw, namespace: a}]\n";

describe("check()", () => {
  it("finds nothing in what is good", () => {
    const verdict = judge(gateway() + service() + route(`${parent}rules: [{backendRefs: [{name: app, port: 80}]}]`));
    assert.deepEqual(verdict.findings, []);
    assert.equal(verdict.objects.length, 3);
    assert.deepEqual(judge("").findings, []);
  });

  describe("what is not in the files", () => {
    const alone = route(`${parent}rules: [{backendRefs: [{name: app, port: 80}]}]`);
    const missing = [
      "5:16 not-among-files HTTPRoute a/r spec.parentRefs[0]",
      "6:26 not-among-files HTTPRoute a/r spec.rules[0].backendRefs[0]",
    ];

    it("is a warning, for a cluster may have it", () =>
      assert.deepEqual(
        told(alone),
        missing.map((each) => `warning ${each}`),
      ));

    it("is an error where the files are complete", () =>
      assert.deepEqual(
        told(alone, { isComplete: true }),
        missing.map((each) => `error ${each}`),
      ));

    it("takes for granted the addresses that a cluster can give, and tells of those that none does", () => {
      const asking = (addresses: string) =>
        gateway().replace("gatewright\n  listeners", `gatewright\n  addresses: ${addresses}\n  listeners`);
      const cluster = "{routability: Cluster}";
      const possible = `[${cluster}, ${cluster}, {routability: Cluster, value: 10.96.0.9}, {}, {}, {type: Hostname}, {value: 192.0.2.1}]`;
      assert.deepEqual(told(asking(possible)), []);
      const partly = told(asking(`[${cluster}, {routability: example.com/wan}]`));
      assert.deepEqual(partly, ["error 6:3 PartiallyAssigned Gateway a/gw spec.addresses"]);
      const none = told(asking("[{type: Hostname, routability: Cluster}]"));
      assert.deepEqual(none, ["error 6:3 NotAssigned Gateway a/gw spec.addresses"]);
    });

    it("does not keep the rest from being judged", () => {
      const refs = "rules: [{backendRefs: [{name: app, port: 81}]}]";
      for (const kind of ["Gateway", "ListenerSet"])
        assert.deepEqual(told(service() + route(`parentRefs: [{name: gw, kind: ${kind}}]\n${refs}`)), [
          `warning 10:16 not-among-files HTTPRoute a/r spec.parentRefs[0]`,
          `error 11:26 BackendNotFound HTTPRoute a/r spec.rules[0].backendRefs[0]`,
        ]);
      const other = gateway().replace("gatewayClassName: gatewright", "gatewayClassName: other");
      assert.deepEqual(told(other + service() + route(parent + refs)), [
        "warning 5:3 not-among-files Gateway a/gw spec.gatewayClassName",
        "error 19:26 BackendNotFound HTTPRoute a/r spec.rules[0].backendRefs[0]",
      ]);
    });

    it("is not what is in the files and refused: that is told once, where it stands", () => {
      const broken = service().replace("port: 80", "port: 0");
      const rules = "rules: [{backendRefs: [{name: app, port: 80}]}]";
      assert.deepEqual(told(gateway() + broken + route(parent + rules)), [
        "error 12:17 builtin Service a/app spec.ports[0].port",
      ]);
      assert.deepEqual(told(gateway().replace("port: 80", "port: 0") + service() + route(parent + rules)), [
        "error 7:17 schema Gateway a/gw spec.listeners[0].port",
      ]);
    });

    it("may be a grant, where nothing of its namespace is in the files", () => {
      const rules = "rules: [{backendRefs: [{name: app, port: 80}]}]";
      const foreign = gateway() + route(parent + rules.replace("app,", "app, namespace: b,"));
      assert.deepEqual(told(foreign), ["warning 14:26 RefNotPermitted HTTPRoute a/r spec.rules[0].backendRefs[0]"]);
      assert.deepEqual(told(foreign, { isComplete: true }), [
        "error 14:26 RefNotPermitted HTTPRoute a/r spec.rules[0].backendRefs[0]",
      ]);
      assert.deepEqual(told(foreign + service().replace("namespace: a", "namespace: b")), [
        "error 14:26 RefNotPermitted HTTPRoute a/r spec.rules[0].backendRefs[0]",
      ]);
    });

    it("may be labels of a namespace", () => {
      const listener =
        "{name: web, port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: Selector, selector: {matchLabels: {x: z}}}}}";
      const text = gateway(listener) + route(parent, "r", "b");
      const finding = "13:16 NotAllowedByListeners HTTPRoute b/r spec.parentRefs[0]";
      assert.deepEqual(told(text), [`warning ${finding}`]);
      assert.deepEqual(told(text, { isComplete: true }), [`error ${finding}`]);
      const namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: b}\n";
      assert.deepEqual(told(text + namespace), [`error ${finding}`]);
    });

    it("may be a MeshConfig that allows a filter, whose configuration is checked all the same", () => {
      const filter = (config: string) => `apiVersion: config.aether.io/v1
kind: HTTPFilter
metadata: {name: f, namespace: a}
spec:
  filter: envoy.filters.http.buffer
  typedConfig:
    "@type": type.googleapis.com/envoy.extensions.filters.http.buffer.v3.BufferPerRoute
    ${config}
---
`;
      const of = (text: string, options?: Partial<CheckOptions>) =>
        told(text, options).filter((line) => !line.includes("no-effect"));
      const place = "5:3 NotAllowed HTTPFilter a/f spec.filter";
      const good = filter("disabled: true");
      assert.deepEqual(of(good), [`warning ${place}`]);
      assert.deepEqual(of(good, { isComplete: true }), [`error ${place}`]);
      const mesh = (allowed: string) => `apiVersion: config.aether.io/v1
kind: MeshConfig
metadata: {name: m, namespace: gatewright-system}
spec: {extensionFilters: {allowed: [${allowed}]}}
---
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: gatewright}
spec:
  controllerName: gatewright.dev/gateway-controller
  parametersRef: {group: config.aether.io, kind: MeshConfig, name: m, namespace: gatewright-system}
`;
      assert.deepEqual(of(good + mesh("envoy.filters.http.buffer")), []);
      assert.deepEqual(of(good + mesh("envoy.filters.http.csrf")), [`error ${place}`]);
      assert.deepEqual(of(filter("disabled: false")), [
        `warning ${place}`,
        "error 8:5 envoy HTTPFilter a/f spec.typedConfig.disabled",
      ]);
      const other = good.replace("envoy.filters.http.buffer", "envoy.filters.http.lua");
      assert.deepEqual(of(other), [`error ${place}`]);
    });
  });

  describe("reachability", () => {
    it("knows hostnames that fit no listener, all of them or some", () => {
      const one = gateway('{name: web, port: 80, protocol: HTTP, hostname: "*.example.com"}');
      assert.deepEqual(told(`${one}${route(`${parent}hostnames: [a.example.org]`)}`), [
        "error 13:16 NoMatchingListenerHostname HTTPRoute a/r spec.parentRefs[0]",
      ]);
      assert.deepEqual(told(`${one}${route(`${parent}hostnames: [a.example.com, a.example.org]`)}`), [
        "warning 14:30 unmatched-hostname HTTPRoute a/r spec.hostnames[1]",
      ]);
    });

    it("knows routes that no listener takes, and listeners that are not there", () => {
      assert.deepEqual(told(gateway() + route(parent, "r", "b")), [
        "error 13:16 NotAllowedByListeners HTTPRoute b/r spec.parentRefs[0]",
      ]);
      assert.deepEqual(told(gateway() + route("parentRefs:\n- {name: gw, sectionName: none}")), [
        "error 14:5 NoMatchingParent HTTPRoute a/r spec.parentRefs[0]",
      ]);
    });

    it("knows routes without a Gateway", () =>
      assert.deepEqual(told(route("hostnames: [a.example.com]")), [
        "warning 4:1 no-effect HTTPRoute a/r spec.parentRefs",
      ]));

    it("tells of more problems than a condition has room for", () => {
      const refs = Array.from({ length: 9 }, (_, index) => `{name: s${index}, port: 80}`).join(", ");
      assert.equal(told(gateway() + route(`${parent}rules: [{backendRefs: [${refs}]}]`)).length, 9);
    });
  });

  describe("matches", () => {
    const match = (value: string) => `- matches: [{${value}}]\n`;
    const of = (...matches: readonly string[]) => `${parent}rules:\n${matches.map(match).join("")}`;

    it("that stand twice are told, within a route and across routes", () => {
      const twice = of(
        'path: {value: /a}, headers: [{name: x, value: "1"}, {name: z, value: "2"}]',
        'path: {value: /a/}, headers: [{name: Z, value: "2"}, {name: X, value: "1"}]',
      );
      assert.deepEqual(told(gateway() + route(twice)), [
        "warning 16:15 duplicate-match HTTPRoute a/r spec.rules[1].matches[0]",
      ]);
      assert.deepEqual(told(gateway() + route(of("path: {value: /a}"), "z") + route(of("path: {value: /a}"), "b")), [
        "warning 15:15 duplicate-match HTTPRoute a/z spec.rules[0].matches[0]",
      ]);
    });

    it("of other hosts, methods or values are others", () => {
      const hosts = (host: string, name: string) => route(`${of("path: {value: /a}")}hostnames: [${host}]`, name);
      assert.deepEqual(told(gateway() + hosts("a.b", "one") + hosts("c.b", "two")), []);
      assert.deepEqual(
        told(
          gateway() +
            route(
              of("method: GET", "method: PUT", 'headers: [{name: x, value: "1"}]', 'headers: [{name: x, value: "2"}]'),
            ),
        ),
        [],
      );
    });

    it("after one for everything are told, and exact ones are not", () => {
      const all = "path: {type: RegularExpression, value: /.*}";
      assert.deepEqual(told(gateway() + route(of(all, "path: {value: /a}", "path: {type: Exact, value: /a}"))), [
        "warning 16:15 shadowed-rule HTTPRoute a/r spec.rules[1].matches[0]",
      ]);
      assert.deepEqual(told(gateway() + route(of(`${all}, method: GET`, "path: {value: /a}"))), []);
      assert.deepEqual(told(gateway() + route(of(`${all}, method: GET`, "path: {value: /a}, method: GET"))).length, 1);
    });
  });

  describe("certificates", () => {
    const certificate = makeCertificate({ dnsNames: ["a.example.com"] });
    const other = makeCertificate({ dnsNames: ["a.example.com"] });
    const listener = "{name: web, port: 443, protocol: HTTPS, tls: {certificateRefs: [{name: cert}]}}";
    const secret = (crt: string, key: string) =>
      `apiVersion: v1\nkind: Secret\nmetadata: {name: cert, namespace: a}\ntype: kubernetes.io/tls\nstringData: ${JSON.stringify({ "tls.crt": crt, "tls.key": key })}\n`;
    const place = "7:69 InvalidCertificateRef Gateway a/gw spec.listeners[0].tls.certificateRefs[0]";

    it("that fit their key are good", () =>
      assert.deepEqual(
        told(gateway(listener) + secret(certificate.certificate, certificate.privateKey)).filter(
          (line) => !line.includes(" certificate "),
        ),
        [],
      ));

    it("that do not are told where they are referred to", () => {
      assert.deepEqual(told(gateway(listener) + secret(certificate.certificate, other.privateKey)), [`error ${place}`]);
      assert.deepEqual(told(gateway(listener) + secret("no PEM", other.privateKey)), [`error ${place}`]);
      assert.deepEqual(told(gateway(listener)), [
        "warning 7:69 not-among-files Gateway a/gw spec.listeners[0].tls.certificateRefs[0]",
      ]);
    });

    it("that have expired are a warning", () => {
      const nowMs = Date.parse("2126-01-01T00:00:00Z");
      const [finding] = judge(gateway(listener) + secret(certificate.certificate, certificate.privateKey), {
        nowMs,
      }).findings;
      assert.equal(finding?.rule, "certificate");
      assert.equal(finding.severity, "warning");
      assert.match(finding.message, /the certificate expired at/);
    });

    it("never shows a key", () => {
      const { findings } = judge(gateway(listener) + secret("x", "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n"));
      assert(findings.length > 0 && !JSON.stringify(findings).includes("c2VjcmV0"));
    });
  });

  describe("HTTPFilters", () => {
    const filter = (config: string) => `apiVersion: config.aether.io/v1
kind: HTTPFilter
metadata: {name: f, namespace: a}
spec:
  filter: envoy.filters.http.header_mutation
  typedConfig:
    "@type": type.googleapis.com/envoy.extensions.filters.http.header_mutation.v3.HeaderMutationPerRoute
    mutations:
      ${config}
`;
    const user = route(
      `${parent}rules:\n- filters: [{type: ExtensionRef, extensionRef: {group: config.aether.io, kind: HTTPFilter, name: f}}]`,
    );
    const envoy = (text: string) => told(gateway() + user + text).filter((line) => line.includes(" envoy "));

    it("are told of all that Envoy would refuse, where and as it is written", () => {
      const nothing = '{append: {header: {value: "1"}}}';
      assert.deepEqual(envoy(filter(`response_mutations: [${nothing}, ${nothing}]`)), [
        "error 25:38 envoy HTTPFilter a/f spec.typedConfig.mutations.response_mutations[0].append.header.key",
        "error 25:72 envoy HTTPFilter a/f spec.typedConfig.mutations.response_mutations[1].append.header.key",
      ]);
      assert.deepEqual(envoy(filter("responseMutation: []")), [
        "error 25:7 envoy HTTPFilter a/f spec.typedConfig.mutations.responseMutation",
      ]);
    });

    it("that nobody uses are a warning", () => {
      const good = filter('responseMutations: [{append: {header: {key: x, value: "1"}}}]');
      assert.deepEqual(told(good), ["warning 1:1 no-effect HTTPFilter a/f"]);
      assert.deepEqual(told(gateway() + user + good), []);
    });
  });

  describe("channels and releases", () => {
    const tcp = (version: string) =>
      `apiVersion: gateway.networking.k8s.io/${version}\nkind: TCPRoute\nmetadata: {name: t, namespace: a}\nspec: {parentRefs: [{name: gw}], rules: [{backendRefs: [{name: app, port: 80}]}]}\n`;
    const refused = (text: string, options?: Partial<CheckOptions>) =>
      told(text, options).filter((line) => !/ not-among-files | UnsupportedValue /.test(line));

    it("serve other versions", () => {
      const alpha = tcp("v1alpha2").replace("TCPRoute", "UDPRoute");
      assert.deepEqual(refused(alpha), []);
      assert.deepEqual(refused(alpha, { channel: "standard" }), ["error 1:1 unserved-version UDPRoute a/t apiVersion"]);
      assert.deepEqual(refused(tcp("v1"), { channel: "standard" }), []);
    });

    it("have other fields", () => {
      const retry = route("parentRefs: [{name: gw}]\nrules: [{sessionPersistence: {type: Cookie, cookie: {}}}]");
      assert.deepEqual(refused(retry), []);
      assert.deepEqual(refused(retry, { channel: "standard" }), [
        "error 6:12 unknown-field HTTPRoute a/r spec.rules[0].sessionPersistence",
      ]);
    });

    it("have other kinds", () => {
      const mesh =
        "apiVersion: gateway.networking.x-k8s.io/v1alpha1\nkind: XMesh\nmetadata: {name: m}\nspec: {controllerName: a.b/c}\n";
      assert.deepEqual(refused(mesh), ["warning 2:1 no-effect XMesh m"]);
      assert.deepEqual(refused(mesh, { channel: "standard" })[0], "error 1:1 unserved-version XMesh m apiVersion");
    });

    it("of Kubernetes serve other versions of its kinds", () => {
      const bundle = (version: string) =>
        `apiVersion: certificates.k8s.io/${version}\nkind: ClusterTrustBundle\nmetadata: {name: b}\nspec: {trustBundle: ${JSON.stringify(makeCertificate({ dnsNames: ["ca"], authority: true }).certificate)}}\n`;
      assert.deepEqual(refused(bundle("v1")), []);
      assert.deepEqual(refused(bundle("v1"), { kubernetesMinor: 36 }), [
        "error 1:1 unserved-version ClusterTrustBundle b apiVersion",
      ]);
      assert.deepEqual(refused(bundle("v1beta1"), { kubernetesMinor: 36 }), []);
      assert.deepEqual(refused(bundle("v1beta1"), { kubernetesMinor: 32 }).length, 1);
    });
  });

  describe("kinds of the author's own", () => {
    const definition = (schema: string) => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Cluster
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: ${schema}}}
---
`;
    const widget = (spec: string) =>
      `apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec: ${spec}\n---\n`;
    const sized =
      "{type: object, properties: {spec: {type: object, properties: {size: {type: integer, default: 1, maximum: 3}}}}}";

    it("are checked by what is said of them, wherever it stands in the files", () => {
      assert.deepEqual(told(definition(sized) + widget("{size: 2}")), []);
      assert.deepEqual(told(widget("{size: 4}") + definition(sized)), ["error 4:8 schema Widget w spec.size"]);
      assert.deepEqual(told(widget("{sze: 4}") + definition(sized)), ["error 4:8 unknown-field Widget w spec.sze"]);
      assert.equal(judge(widget("{size: 4}")).passedOver, 1);
    });

    it("whose definition is of no use are told of once, and nothing breaks", () => {
      for (const schema of [
        "{type: object, properties: {spec: {pattern: '('}}}",
        "null",
        "{properties: 7}",
        "{type: object, x-kubernetes-validations: [{rule: 'self.a +'}]}",
      ]) {
        const findings = told(definition(schema) + widget("{size: 4}")).filter((line) => line.includes(" crd "));
        assert.deepEqual(findings.length <= 1, true, schema);
      }
    });

    it("may have rules that only a cluster can judge", () => {
      const rule = "quantity(self.size).isGreaterThan(quantity('1'))";
      const schema = `{type: object, properties: {spec: {type: object, properties: {size: {type: string}}, x-kubernetes-validations: [{rule: "${rule}"}]}}}`;
      const findings = told(definition(schema) + widget('{size: "2"}'));
      assert.deepEqual(
        findings.filter((line) => line.startsWith("error")),
        [],
      );
    });
  });
});
