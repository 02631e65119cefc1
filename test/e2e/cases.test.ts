// What users of gateways have reported against others, tried on ours: each bad object costs itself, now, after an edit of a good one, and after a restart.
import assert from "node:assert/strict";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { type EchoBackend, startEchoBackend } from "../support/echo-backend.ts";
import { freePort } from "../support/free-port.ts";
import { makeCertificate } from "../support/certificates.ts";
import { type Answer, eventually } from "../support/http-client.ts";
import { gatewayClass, httpRoute, joinDocuments, service } from "./support/manifests.ts";
import { hasCondition, type Standalone, startStandalone } from "./support/standalone.ts";

const good = (marker: string) =>
  httpRoute(
    "good",
    "good.example.com",
    `  rules:
  - filters: [{type: ResponseHeaderModifier, responseHeaderModifier: {set: [{name: x-marker, value: "${marker}"}]}}]
    backendRefs: [{name: one, port: 80}]`,
  );

const stamp = (name: string) => `
apiVersion: config.aether.io/v1
kind: HTTPFilter
metadata: {name: ${name}, namespace: team-a}
spec:
  filter: envoy.filters.http.header_mutation
  typedConfig:
    "@type": type.googleapis.com/envoy.extensions.filters.http.header_mutation.v3.HeaderMutationPerRoute
    mutations: {responseMutations: [{append: {header: {key: x-stamp, value: "1"}}}]}`;

const ruleWith = (filters: string, path = "/bad") => `  - matches: [{path: {value: ${path}}}]
    filters: [${filters}]
    backendRefs: [{name: one, port: 80}]`;
const fineRule = `  - matches: [{path: {value: /fine}}]
    backendRefs: [{name: one, port: 80}]`;
const setHeader = (name: string, value: string) =>
  `{type: RequestHeaderModifier, requestHeaderModifier: {set: [{name: "${name}", value: "${value}"}]}}`;
const reference = (group: string, kind: string, name: string) =>
  `{type: ExtensionRef, extensionRef: {group: "${group}", kind: ${kind}, name: ${name}}}`;

type Case = {
  readonly name: string;
  /** Rules of the route \`bad\`, beside one that is fine. */
  readonly rules: string;
  readonly condition: readonly [type: string, status: string, reason?: string];
  readonly says: RegExp;
  /** 500 unless given: a match that cannot be put to Envoy is not there at all. */
  readonly answer?: number;
};

const cases: readonly Case[] = [
  {
    name: "a regular expression whose program is too large for Envoy",
    rules: `  - matches: [{path: {type: RegularExpression, value: "/bad/((alpha|beta|gamma|delta){1,400}){1,200}"}}]\n    backendRefs: [{name: one, port: 80}]`,
    condition: ["Accepted", "False"],
    says: /expression|regex/i,
    answer: 404,
  },
  {
    name: "a regular expression that RE2 does not know",
    rules: `  - matches: [{path: {type: RegularExpression, value: "/bad(?=x)"}}]\n    backendRefs: [{name: one, port: 80}]`,
    condition: ["Accepted", "False"],
    says: /expression|regex/i,
    answer: 404,
  },
  {
    name: "Host set twice, by header and by rewrite",
    rules: ruleWith(
      `${setHeader("Host", "inner.example.com")}, {type: URLRewrite, urlRewrite: {hostname: inner.example.com}}`,
    ),
    condition: ["Accepted", "False"],
    says: /host/i,
  },
  {
    name: "a framing header",
    rules: ruleWith(setHeader("connection", "close")),
    condition: ["Accepted", "False"],
    says: /connection/i,
  },
  {
    name: "a filter that is not there",
    rules: ruleWith(reference("config.aether.io", "HTTPFilter", "not-there")),
    condition: ["ResolvedRefs", "False"],
    says: /not-there/,
  },
  {
    name: "a kind spelled wrong",
    rules: ruleWith(reference("config.aether.io", "HttpFilter", "stamp")),
    condition: ["ResolvedRefs", "False", "InvalidKind"],
    says: /HttpFilter/,
  },
  {
    name: "a group left empty",
    rules: ruleWith(reference("", "HTTPFilter", "stamp")),
    condition: ["ResolvedRefs", "False", "InvalidKind"],
    says: /HTTPFilter/,
  },
  {
    name: "a filter on a backend, where it is not supported",
    rules: `  - matches: [{path: {value: /bad}}]
    backendRefs: [{name: one, port: 80, filters: [${reference("config.aether.io", "HTTPFilter", "stamp")}]}]`,
    condition: ["ResolvedRefs", "False", "UnsupportedValue"],
    says: /filters\[0\]/,
  },
];

describe("what users reported against others", function () {
  this.timeout(120_000);
  let gateway: Standalone;
  let port: number;
  let httpsPort: number;
  let backend: EchoBackend;
  let markers = 0;

  const until = (host: string, path: string, accept: (answer: Answer) => boolean) =>
    eventually({ port, host: `${host}.example.com` }, path, accept);
  const goodTakesAnEdit = async () => {
    const marker = String(++markers);
    await gateway.write("good.yaml", good(marker));
    await until("good", "/", ({ status, headers }) => status === 200 && headers["x-marker"] === marker);
  };
  const gatewayManifest = (listeners: string) => `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: gw, namespace: team-a}
spec:
  gatewayClassName: gatewright
  listeners:
  - {name: web, port: ${port}, protocol: HTTP}
${listeners}`;

  before(async () => {
    backend = await startEchoBackend("one");
    port = await freePort();
    httpsPort = await freePort();
    gateway = await startStandalone({
      files: {
        "gateway.yaml": joinDocuments(gatewayClass, gatewayManifest("")),
        "services.yaml": joinDocuments(service("one", [backend]), stamp("stamp")),
        "good.yaml": good("0"),
      },
    });
    await until("good", "/", ({ status }) => status === 200);
  });

  after(async () => {
    await gateway?.close();
    await backend.close();
  });

  for (const { name, rules, condition, says, answer = 500 } of cases) {
    it(`costs one rule: ${name}`, async () => {
      await gateway.write("bad.yaml", httpRoute("bad", "bad.example.com", `  rules:\n${rules}\n${fineRule}`));
      await until("bad", "/fine", ({ status }) => status === 200);
      await until("bad", "/bad", ({ status }) => status === answer);
      const { status } = await gateway.statusWhen("HTTPRoute", "team-a", "bad", (file) => {
        const conditions = file.status.parents?.[0]?.conditions;
        // A rule that is left out beside others that are taken: the route is accepted in part.
        const partly = condition[0] === "Accepted" && hasCondition(conditions, "PartiallyInvalid", "True");
        return partly || hasCondition(conditions, ...condition);
      });
      assert.match(JSON.stringify(status), says);
      await goodTakesAnEdit();
      await gateway.write("bad.yaml", httpRoute("bad", "bad.example.com", `  rules:\n${fineRule}`));
      await until("bad", "/bad", ({ status: code }) => code === 404);
      await gateway.statusWhen(
        "HTTPRoute",
        "team-a",
        "bad",
        (file) =>
          hasCondition(file.status.parents?.[0]?.conditions, "Accepted", "True") &&
          hasCondition(file.status.parents?.[0]?.conditions, "ResolvedRefs", "True"),
      );
    });
  }

  it("serves all good routes after a restart with all bad ones present", async () => {
    const all = cases.map(({ rules }, index) =>
      httpRoute(`bad-${index}`, `bad-${index}.example.com`, `  rules:\n${rules}\n${fineRule}`),
    );
    await gateway.write("bad.yaml", joinDocuments(...all));
    await until(`bad-${cases.length - 1}`, "/fine", ({ status }) => status === 200);
    await gateway.stop();
    await gateway.start();
    await until("good", "/", ({ status }) => status === 200);
    for (const index of cases.keys()) await until(`bad-${index}`, "/fine", ({ status }) => status === 200);
    await goodTakesAnEdit();
    await gateway.remove("bad.yaml");
  });

  it("lets a listener without a certificate hold no host name from one that has it", async () => {
    const { certificate, privateKey } = makeCertificate({ dnsNames: ["h.example.com"] });
    const listener = (name: string, secret: string) =>
      `  - {name: ${name}, port: ${httpsPort}, protocol: HTTPS, hostname: h.example.com, tls: {certificateRefs: [{name: ${secret}}]}}`;
    await gateway.write(
      "gateway.yaml",
      joinDocuments(gatewayClass, gatewayManifest([listener("bad", "missing"), listener("ok", "fine")].join("\n"))),
    );
    await gateway.write(
      "secret.yaml",
      `
apiVersion: v1
kind: Secret
metadata: {name: fine, namespace: team-a}
type: kubernetes.io/tls
stringData: {tls.crt: ${JSON.stringify(certificate)}, tls.key: ${JSON.stringify(privateKey)}}`,
    );
    await gateway.write("h.yaml", httpRoute("h", "h.example.com", "  rules: [{backendRefs: [{name: one, port: 80}]}]"));
    await eventually(
      { port: httpsPort, host: "h.example.com", tls: { ca: certificate } },
      "/",
      ({ status }) => status === 200,
    );
    const { status } = await gateway.statusWhen(
      "Gateway",
      "team-a",
      "gw",
      ({ status: { listeners } }) => listeners?.length === 3,
    );
    assert.ok(hasCondition(status.listeners?.[1]?.conditions, "ResolvedRefs", "False", "InvalidCertificateRef"));
    assert.ok(
      hasCondition(status.listeners?.[2]?.conditions, "Programmed", "True"),
      JSON.stringify(status.listeners?.[2]),
    );
    await goodTakesAnEdit();
  });

  it("prefers a header's exact value to a pattern of it only by Gateway API's order: the older route wins", async () => {
    const at = (name: string, created: string, type: string, value: string) =>
      httpRoute(
        name,
        "prefer.example.com",
        `  rules:
  - matches: [{headers: [{type: ${type}, name: x-v, value: "${value}"}]}]
    filters: [{type: ResponseHeaderModifier, responseHeaderModifier: {set: [{name: x-rule, value: ${name}}]}}]
    backendRefs: [{name: one, port: 80}]`,
      ).replace("namespace: team-a}", `namespace: team-a, creationTimestamp: "${created}"}`);
    await gateway.write(
      "prefer.yaml",
      joinDocuments(
        at("older", "2026-01-01T00:00:00Z", "RegularExpression", "b.*"),
        at("newer", "2026-02-01T00:00:00Z", "Exact", "beta"),
      ),
    );
    const { headers } = await eventually({ port, host: "prefer.example.com" }, "/", ({ status }) => status === 200, {
      headers: { "x-v": "beta" },
    });
    assert.equal(headers["x-rule"], "older");
  });

  it("writes no status while nothing changes for its object", async () => {
    const directory = join(gateway.directory, "..", "status");
    const snapshot = async () => {
      // What is just being written has another name until it is whole.
      const files = (await readdir(directory, { recursive: true, withFileTypes: true })).filter(
        (entry) => entry.isFile() && entry.name.endsWith(".yaml"),
      );
      const entries = await Promise.all(
        files.map(async ({ parentPath, name }) => {
          const path = join(parentPath, name);
          return [path.slice(directory.length), `${(await stat(path)).ino} ${await readFile(path, "utf8")}`] as const;
        }),
      );
      return new Map(entries);
    };
    // Statuses are written in order: when that of a new route is there, so are those of all that came before it.
    const fence = async (name: string, backendName: string) => {
      await gateway.write(
        `${name}.yaml`,
        httpRoute(name, `${name}.example.com`, `  rules: [{backendRefs: [{name: ${backendName}, port: 80}]}]`),
      );
      await gateway.statusWhen("HTTPRoute", "team-a", name, ({ status }) => status.parents !== undefined);
    };
    await goodTakesAnEdit();
    await fence("fence", "one");
    const before = await snapshot();
    assert.ok(before.size > 3, [...before.keys()].join(" "));
    await gateway.write(
      "services.yaml",
      joinDocuments(service("one", [backend]), stamp("stamp"), service("two", [backend])),
    );
    await fence("probe", "two");
    const after = await snapshot();
    for (const [path, content] of before) if (!path.includes("/Gateway/")) assert.equal(after.get(path), content, path);
  });

  it("serves a hundred routes with one filter", async () => {
    const many = Array.from({ length: 100 }, (_, i) =>
      httpRoute(
        `many-${i}`,
        `m${i}.example.com`,
        `  rules:\n${ruleWith(reference("config.aether.io", "HTTPFilter", "stamp"), "/")}`,
      ),
    );
    await gateway.write("many.yaml", joinDocuments(...many));
    for (const i of [0, 50, 99]) await until(`m${i}`, "/", ({ headers }) => headers["x-stamp"] === "1");
    await goodTakesAnEdit();
  });
});
