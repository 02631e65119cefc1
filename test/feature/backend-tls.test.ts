// BackendTLSPolicies on a real Envoy: a backend that speaks TLS, and policies that trust it or do not.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { makeCertificate } from "../support/certificates.ts";
import { send } from "../support/http-client.ts";
import { type ServedGateway, serveGateway, serviceAt } from "../support/served-gateway.ts";

const backendCertificate = makeCertificate({
  dnsNames: ["backend.example.com", "other.example.com"],
  uris: ["spiffe://example.com/backend"],
});
const stranger = makeCertificate({ dnsNames: ["stranger.example.com"] });

const configMap = (name: string, text: string) =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "infra" },
    data: { "ca.crt": text },
  });

const policy = (name: string, service: string, validation: string, year = 2026, section = "") => `
apiVersion: gateway.networking.k8s.io/v1
kind: BackendTLSPolicy
metadata: {name: ${name}, namespace: infra, creationTimestamp: "${year}-01-01T00:00:00Z"}
spec:
  targetRefs: [{group: "", kind: Service, name: ${service}${section && `, sectionName: ${section}`}}]
  validation: ${validation}
`;

const trusting = (refs: string, more = "") => `{hostname: backend.example.com, caCertificateRefs: [${refs}]${more}}`;
const ref = (name: string, kind = "ConfigMap") => `{group: "", kind: ${kind}, name: ${name}}`;

/** By the name of the Service, which is that of its host too. */
const cases: Readonly<Record<string, { readonly policies: readonly string[]; readonly status: number }>> = {
  plain: { policies: [], status: 503 },
  good: { policies: [policy("good", "good", trusting(ref("ca")))], status: 200 },
  half: { policies: [policy("half", "half", trusting(`${ref("ca")}, ${ref("missing")}`))], status: 200 },
  mistrusted: { policies: [policy("mistrusted", "mistrusted", trusting(ref("stranger")))], status: 503 },
  "another-name": {
    policies: [
      policy("another-name", "another-name", `{hostname: wrong.example.com, caCertificateRefs: [${ref("ca")}]}`),
    ],
    status: 503,
  },
  san: {
    policies: [
      policy(
        "san",
        "san",
        `{hostname: sni.example.com, caCertificateRefs: [${ref("ca")}], subjectAltNames: [{type: Hostname, hostname: other.example.com}]}`,
      ),
    ],
    status: 200,
  },
  uri: {
    policies: [
      policy(
        "uri",
        "uri",
        trusting(ref("ca"), ', subjectAltNames: [{type: URI, uri: "spiffe://example.com/backend"}]'),
      ),
    ],
    status: 200,
  },
  "wrong-san": {
    policies: [
      policy("wrong-san", "wrong-san", trusting(ref("ca"), ', subjectAltNames: [{type: URI, uri: "spiffe://x/y"}]')),
    ],
    status: 503,
  },
  system: {
    policies: [policy("system", "system", "{hostname: backend.example.com, wellKnownCACertificates: System}")],
    status: 503,
  },
  missing: { policies: [policy("missing", "missing", trusting(ref("missing")))], status: 503 },
  kind: { policies: [policy("kind", "kind", trusting(ref("ca", "Pod")))], status: 503 },
  pem: { policies: [policy("pem", "pem", trusting(ref("not-pem")))], status: 503 },
  older: {
    policies: [
      policy("older-1", "older", trusting(ref("ca")), 2025),
      policy("older-2", "older", trusting(ref("stranger")), 2026),
    ],
    status: 200,
  },
  section: {
    policies: [
      policy("section-1", "section", trusting(ref("stranger")), 2025),
      policy("section-2", "section", trusting(ref("ca")), 2026, "main"),
    ],
    status: 200,
  },
};

const gatewayAndRoutes = [
  `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: gw, namespace: infra}
spec: {gatewayClassName: gatewright, listeners: [{name: http, port: 80, protocol: HTTP}]}
`,
  ...Object.keys(cases).map(
    (name) => `
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: ${name}, namespace: infra}
spec: {parentRefs: [{name: gw}], hostnames: [${name}.test], rules: [{backendRefs: [{name: ${name}, port: 80}]}]}
`,
  ),
];

describe("BackendTLSPolicy, by effect", function () {
  this.timeout(60_000);
  let server: Server;
  let gateway: ServedGateway;

  before(async () => {
    const { certificate: cert, privateKey: key } = backendCertificate;
    server = createServer({ cert, key }, ({ socket }, response) => {
      response.end((socket as TLSSocket & { readonly servername?: string }).servername);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    gateway = await serveGateway(
      [
        ...gatewayAndRoutes,
        ...Object.entries(cases).flatMap(([name, { policies }]) => [serviceAt(name, port), ...policies]),
        configMap("ca", backendCertificate.certificate),
        configMap("stranger", stranger.certificate),
        configMap("not-pem", "not pem"),
      ],
      [80],
    );
  });

  after(async () => {
    await gateway?.stop();
    server?.close();
    server?.closeAllConnections();
  });

  for (const [name, { status }] of Object.entries(cases))
    it(`answers ${status} for ${name}`, async () => {
      const answer = await send({ port: gateway.portOf(80), host: `${name}.test` }, "/");
      assert.equal(answer.status, status, answer.body);
      if (status === 200) assert.equal(answer.body, name === "san" ? "sni.example.com" : "backend.example.com");
    });

  const conditions: readonly (readonly [policy: string, accepted: string, resolved: string])[] = [
    ["good", "True Accepted", "True ResolvedRefs"],
    ["half", "True Accepted", "False InvalidCACertificateRef"],
    ["missing", "False NoValidCACertificate", "False InvalidCACertificateRef"],
    ["kind", "False NoValidCACertificate", "False InvalidKind"],
    ["pem", "False NoValidCACertificate", "False InvalidCACertificateRef"],
    ["system", "True Accepted", "True ResolvedRefs"],
    ["older-1", "True Accepted", "True ResolvedRefs"],
    ["older-2", "False Conflicted", "True ResolvedRefs"],
    ["section-1", "True Accepted", "True ResolvedRefs"],
  ];
  for (const [name, accepted, resolved] of conditions)
    it(`says of the policy ${name}: ${accepted}, ${resolved}`, () => {
      const status = gateway.world.statuses.get(`BackendTLSPolicy infra/${name}`)?.status;
      const [ancestor] = (status?.["ancestors"] ?? []) as readonly {
        readonly ancestorRef: unknown;
        readonly conditions: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
      }[];
      const ancestorRef = { group: "gateway.networking.k8s.io", kind: "Gateway", namespace: "infra", name: "gw" };
      assert.deepEqual(ancestor?.ancestorRef, ancestorRef);
      assert.deepEqual(
        ancestor?.conditions.map((condition) => `${condition.type} ${condition.status} ${condition.reason}`),
        [`Accepted ${accepted}`, `ResolvedRefs ${resolved}`],
      );
    });
});
