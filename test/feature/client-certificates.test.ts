// What clients have to show (spec.tls.frontend of a Gateway), by effect on a real Envoy.
import assert from "node:assert/strict";
import { type EchoBackend, startEchoBackend } from "../support/echo-backend.ts";
import { makeCertificate } from "../support/certificates.ts";
import { secretOf, type ServedGateway, serveGateway, serviceAt } from "../support/served-gateway.ts";
import { askByTls, type TlsTarget } from "../support/tls-client.ts";

const issuedBy = (name: string, issuer = makeCertificate({ dnsNames: [name], authority: true })) => ({
  authority: issuer.certificate,
  client: makeCertificate({ dnsNames: ["client"], issuer }),
  expired: makeCertificate({ dnsNames: ["late client"], issuer, notAfter: new Date("2020-01-01T00:00:00Z") }),
});

const [ours, other, strange] = [issuedBy("ours"), issuedBy("other"), issuedBy("strange")];
const selfSigned = makeCertificate({ dnsNames: ["client"] });

const clients = {
  none: undefined,
  ours: ours.client,
  expired: ours.expired,
  other: other.client,
  strange: strange.client,
  selfSigned,
} as const;

const ref = (name: string, kind = "ConfigMap") => `{group: "", kind: ${kind}, name: ${name}}`;

/** By port: what is said for it, and whom it lets in. */
const ports: Readonly<Record<number, { readonly tls?: string; readonly admits: readonly (keyof typeof clients)[] }>> = {
  443: { admits: ["ours"] },
  1443: { tls: "{}", admits: ["none", "ours", "expired", "other", "strange", "selfSigned"] },
  2443: { tls: `{validation: {caCertificateRefs: [${ref("other")}]}}`, admits: ["other"] },
  3443: {
    tls: `{validation: {caCertificateRefs: [${ref("ours")}, ${ref("other", "Secret")}]}}`,
    admits: ["ours", "other"],
  },
  4443: { tls: `{validation: {caCertificateRefs: [${ref("missing")}, ${ref("other")}]}}`, admits: ["other"] },
  5443: { tls: `{validation: {caCertificateRefs: [${ref("missing")}]}}`, admits: [] },
  6443: {
    tls: `{validation: {mode: AllowInsecureFallback, caCertificateRefs: [${ref("ours")}]}}`,
    admits: ["none", "ours", "expired", "other", "strange", "selfSigned"],
  },
  7443: { tls: `{validation: {mode: AllowInsecureFallback, caCertificateRefs: [${ref("missing")}]}}`, admits: [] },
  8443: { tls: `{validation: {caCertificateRefs: [${ref("two-in-one")}]}}`, admits: ["ours", "other"] },
};

const configMap = (name: string, text: string) =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "infra" },
    data: { "ca.crt": text },
  });

const gatewayOf = (numbers: readonly number[]) => `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: gw, namespace: infra}
spec:
  gatewayClassName: gatewright
  tls:
    frontend:
      default: {validation: {caCertificateRefs: [${ref("ours")}]}}
      perPort: [${numbers.flatMap((port) => (ports[port]?.tls ? `{port: ${port}, tls: ${ports[port].tls}}` : [])).join(", ")}]
  listeners:
  - {name: http, port: 80, protocol: HTTP}
${numbers.map((port) => `  - {name: l${port}, port: ${port}, protocol: HTTPS, tls: {certificateRefs: [{name: server}]}}`).join("\n")}
  - {name: guarded, port: 9443, protocol: HTTPS, hostname: guarded.test, tls: {certificateRefs: [{name: server}]}}
`;

describe("client certificates, by effect", function () {
  this.timeout(60_000);
  let backend: EchoBackend;
  let gateway: ServedGateway;
  const numbers = Object.keys(ports).map(Number);
  const ask = (port: number, target: Partial<TlsTarget> = {}) =>
    askByTls({ port: gateway.portOf(port), host: "a.test", ...target });

  before(async () => {
    backend = await startEchoBackend("app");
    gateway = await serveGateway(
      [
        gatewayOf(numbers),
        `
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: route, namespace: infra}
spec: {parentRefs: [{name: gw}], rules: [{backendRefs: [{name: app, port: 80}]}]}
`,
        serviceAt("app", backend.port),
        secretOf("server", makeCertificate({ dnsNames: ["a.test", "guarded.test"] })),
        configMap("ours", ours.authority),
        configMap("other", other.authority),
        configMap("two-in-one", `first\n${ours.authority}second\n${other.authority}`),
        JSON.stringify({
          apiVersion: "v1",
          kind: "Secret",
          metadata: { name: "other", namespace: "infra" },
          stringData: { "ca.crt": other.authority },
        }),
      ],
      [80, ...numbers, 9443],
    );
  });

  after(async () => {
    await gateway?.stop();
    await backend.close();
  });

  for (const [port, { tls = "what is said for all ports", admits }] of Object.entries(ports))
    for (const [name, shows] of Object.entries(clients)) {
      const isAdmitted = admits.some((admitted) => admitted === name);
      it(`${isAdmitted ? "admits" : "turns away"} ${name} where it says ${tls}`, async () => {
        const before = backend.seen();
        const { answer } = await ask(Number(port), shows && { shows });
        if (isAdmitted) assert.equal(answer, "200");
        else assert.match(answer, /^error/);
        assert.equal(backend.seen() - before, isAdmitted ? 1 : 0);
      });
    }

  it("lets no session that was made elsewhere stand for a certificate", async () => {
    for (const maxVersion of ["TLSv1.2", "TLSv1.3"] as const) {
      const { sessions, answer } = await ask(1443, { maxVersion });
      assert.equal(answer, "200");
      const [session] = sessions;
      assert.ok(session !== undefined, "an open port gives sessions");
      const resumed = await ask(1443, { maxVersion, session });
      assert.ok(resumed.resumed, "and resumes them");
      for (const port of [443, 9443])
        assert.match((await ask(port, { maxVersion, session, host: "guarded.test" })).answer, /^error/);
    }
  });

  it("resumes no session where certificates are asked for", async () => {
    for (const maxVersion of ["TLSv1.2", "TLSv1.3"] as const) {
      const { sessions } = await ask(443, { maxVersion, shows: ours.client });
      const [session] = sessions;
      const again = await ask(443, { maxVersion, ...(session && { session }) });
      assert.match(again.answer, /^error/);
    }
  });
});
