// What users of gateways have reported against others, tried on ours: each bad object costs itself, now, after an edit of a good one, and after a restart.
import assert from "node:assert/strict";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { type EchoBackend, startEchoBackend } from "../support/echo-backend.ts";
import { freePort } from "../support/free-port.ts";
import { makeCertificate } from "../support/certificates.ts";
import { type Answer, eventually } from "../support/http-client.ts";
import { badFilters, badRoutes, badRules, fineRule, reference, ruleWith, stamp } from "./support/bad-rules.ts";
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

  /** The route \`bad\` with rules, beside one that is fine. */
  const bad = (rules: string, name = "bad") =>
    httpRoute(name, `${name}.example.com`, `  rules:\n${rules}\n${fineRule}`);

  /** What there is of the route is good again, and says so. */
  async function heals() {
    await gateway.write("bad.yaml", httpRoute("bad", "bad.example.com", `  rules:\n${fineRule}`));
    await until("bad", "/bad", ({ status }) => status === 404);
    await gateway.statusWhen(
      "HTTPRoute",
      "team-a",
      "bad",
      (file) =>
        hasCondition(file.status.parents?.[0]?.conditions, "Accepted", "True") &&
        !hasCondition(file.status.parents?.[0]?.conditions, "PartiallyInvalid", "True") &&
        hasCondition(file.status.parents?.[0]?.conditions, "ResolvedRefs", "True"),
    );
  }

  for (const { name, rules, condition, says, answer = 500 } of badRules) {
    it(`costs one rule: ${name}`, async () => {
      await gateway.write("bad.yaml", bad(rules));
      await until("bad", "/fine", ({ status }) => status === 200);
      await until("bad", "/bad", ({ status }) => status === answer);
      await gateway.statusWhen("HTTPRoute", "team-a", "bad", (file) => {
        const conditions = file.status.parents?.[0]?.conditions;
        // A rule that is left out beside others that are taken: the route is accepted in part.
        const partly = condition[0] === "Accepted" && hasCondition(conditions, "PartiallyInvalid", "True");
        return (partly || hasCondition(conditions, ...condition)) && says.test(JSON.stringify(file.status));
      });
      await goodTakesAnEdit();
      await heals();
    });
  }

  const usesFilter = ruleWith(reference("config.aether.io", "HTTPFilter", "bad"));
  for (const { name, filter, says } of badFilters) {
    it(`costs the rules that use it: ${name}`, async () => {
      await gateway.write("bad.yaml", joinDocuments(bad(usesFilter), filter));
      const { status } = await gateway.statusWhen(
        "HTTPFilter",
        "team-a",
        "bad",
        (file) => hasCondition(file.status.conditions, "Accepted", "False") && says.test(JSON.stringify(file.status)),
      );
      assert.ok(JSON.stringify(status).length < 2_000);
      await until("bad", "/bad", ({ status: code }) => code === 500);
      await until("bad", "/fine", ({ status: code }) => code === 200);
      await gateway.statusWhen("HTTPRoute", "team-a", "bad", (file) =>
        hasCondition(file.status.parents?.[0]?.conditions, "ResolvedRefs", "False", "InvalidFilter"),
      );
      await goodTakesAnEdit();
      await gateway.write("bad.yaml", joinDocuments(bad(usesFilter), stamp("bad")));
      await until("bad", "/bad", ({ status: code, headers }) => code === 200 && headers["x-stamp"] === "1");
    });
  }

  it("heals a rule when its filter comes, and answers 500 again when it goes", async () => {
    const refers = bad(ruleWith(reference("config.aether.io", "HTTPFilter", "late")));
    const resolved = (status: "True" | "False") =>
      gateway.statusWhen("HTTPRoute", "team-a", "bad", (file) =>
        hasCondition(file.status.parents?.[0]?.conditions, "ResolvedRefs", status),
      );
    await gateway.write("bad.yaml", refers);
    for (let times = 0; times < 2; times++) {
      await until("bad", "/bad", ({ status }) => status === 500);
      await resolved("False");
      await until("bad", "/fine", ({ status }) => status === 200);
      await gateway.write("late.yaml", stamp("late"));
      await until("bad", "/bad", ({ status, headers }) => status === 200 && headers["x-stamp"] === "1");
      await resolved("True");
      await gateway.remove("late.yaml");
    }
    await until("bad", "/bad", ({ status }) => status === 500);
    await goodTakesAnEdit();
  });

  for (const { name, rules, says } of badRoutes) {
    it(`leaves the route as it was: ${name}`, async () => {
      await heals();
      const before = gateway.output().length;
      await gateway.write("bad.yaml", bad(rules));
      await gateway.outputWhen((text) => says.test(text.slice(before)));
      assert.match(gateway.output().slice(before), /bad\.yaml:\d+ HTTPRoute team-a\/bad: /);
      await goodTakesAnEdit();
      await until("bad", "/fine", ({ status }) => status === 200);
      await until("bad", "/bad", ({ status }) => status === 404);
      await heals();
    });
  }

  it("serves all good routes after a restart with all bad ones present", async () => {
    const rules = badRules.map(({ rules: text }, index) => bad(text, `bad-${index}`));
    const filters = badFilters.flatMap(({ filter }, index) => [
      filter.replace("name: bad,", `name: filter-${index},`),
      bad(ruleWith(reference("config.aether.io", "HTTPFilter", `filter-${index}`)), `filtered-${index}`),
    ]);
    const routes = badRoutes.map(({ rules: text }, index) => bad(text, `whole-${index}`));
    await gateway.write("bad.yaml", joinDocuments(...rules, ...filters, ...routes));
    await until(`filtered-${badFilters.length - 1}`, "/bad", ({ status }) => status === 500);
    await gateway.stop();
    await gateway.start();
    await until("good", "/", ({ status }) => status === 200);
    for (const index of badRules.keys()) await until(`bad-${index}`, "/fine", ({ status }) => status === 200);
    for (const index of badFilters.keys()) {
      await until(`filtered-${index}`, "/fine", ({ status }) => status === 200);
      await until(`filtered-${index}`, "/bad", ({ status }) => status === 500);
    }
    await goodTakesAnEdit();
    await gateway.remove("bad.yaml");
  });

  it("takes an expression that Envoy by itself would refuse for its size", async () => {
    const pattern = "/(alpha|beta|gamma|delta){1,40}/[a-z0-9]{1,200}";
    await gateway.write(
      "fat.yaml",
      httpRoute(
        "fat",
        "fat.example.com",
        `  rules: [{matches: [{path: {type: RegularExpression, value: "${pattern}"}}], backendRefs: [{name: one, port: 80}]}]`,
      ),
    );
    await until("fat", "/alphabeta/x9", ({ status }) => status === 200);
    await until("fat", `/${"gamma".repeat(41)}/x`, ({ status }) => status === 404);
    await until("fat", `/alpha/${"x".repeat(201)}`, ({ status }) => status === 404);
    await goodTakesAnEdit();
    await gateway.stop();
    await gateway.start();
    await until("fat", "/delta/0", ({ status }) => status === 200);
  });

  it("lets a listener without a certificate hold no host name from one that has it", async () => {
    const { certificate, privateKey } = makeCertificate({ dnsNames: ["h.example.com"] });
    // The API server lets no two of the same protocol have the same host.
    const listener = (name: string, protocol: string, secret: string) =>
      `  - {name: ${name}, port: ${httpsPort}, protocol: ${protocol}, hostname: h.example.com, tls: {mode: Terminate, certificateRefs: [{name: ${secret}}]}}`;
    const listeners = [listener("bad", "TLS", "missing"), listener("ok", "HTTPS", "fine")].join("\n");
    await gateway.write("gateway.yaml", joinDocuments(gatewayClass, gatewayManifest(listeners)));
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
    const { status } = await gateway.statusWhen("Gateway", "team-a", "gw", ({ status: file }) =>
      hasCondition(file.listeners?.[2]?.conditions, "Programmed", "True"),
    );
    assert.ok(hasCondition(status.listeners?.[1]?.conditions, "ResolvedRefs", "False", "InvalidCertificateRef"));
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
