// HTTPFilter by effect: what it does where it is asked for, what it leaves alone, and that a bad one costs only itself.
import assert from "node:assert/strict";
import { type EchoBackend, startEchoBackend } from "../support/echo-backend.ts";
import { freePort } from "../support/free-port.ts";
import { type Answer, eventually, send, type SendOptions } from "../support/http-client.ts";
import { gatewayClass, httpGateway, httpRoute, joinDocuments, service } from "./support/manifests.ts";
import { hasCondition, type Standalone, startStandalone } from "./support/standalone.ts";

const filter = (name: string, envoyFilter: string, typedConfig: string) => `
apiVersion: config.aether.io/v1
kind: HTTPFilter
metadata: {name: ${name}, namespace: team-a}
spec:
  filter: ${envoyFilter}
  typedConfig:
${typedConfig}`;

const stamp = (name: string, value: string) =>
  filter(
    name,
    "envoy.filters.http.header_mutation",
    `    "@type": type.googleapis.com/envoy.extensions.filters.http.header_mutation.v3.HeaderMutationPerRoute
    mutations:
      response_mutations: [{append: {header: {key: x-${name}, value: "${value}"}, append_action: OVERWRITE_IF_EXISTS_OR_ADD}}]`,
  );

/** Passes Envoy's protobuf rules, and is refused by its C++ code. */
const halfRule = filter(
  "half-rule",
  "envoy.filters.http.header_to_metadata",
  `    "@type": type.googleapis.com/envoy.extensions.filters.http.header_to_metadata.v3.Config
    request_rules: [{header: x-tenant}]`,
);

const uses = (...names: string[]) =>
  `filters: [${names.map((name) => `{type: ExtensionRef, extensionRef: {group: config.aether.io, kind: HTTPFilter, name: ${name}}}`).join(", ")}]`;

const rule = (path: string, ...filters: string[]) => `  - matches: [{path: {value: ${path}}}]
    ${filters.length === 0 ? "" : `${uses(...filters)}\n    `}backendRefs: [{name: one, port: 80}]`;

const route = (name: string, ...rules: string[]) =>
  httpRoute(name, `${name}.example.com`, `  rules:\n${rules.join("\n")}`);

describe("HTTPFilter, by effect", function () {
  this.timeout(120_000);
  let gateway: Standalone;
  let port: number;
  let one: EchoBackend;

  const get = (host: string, path: string, options: SendOptions = {}): Promise<Answer> =>
    send({ port, host: `${host}.example.com` }, path, options);
  const until = (host: string, path: string, accept: (answer: Answer) => boolean) =>
    eventually({ port, host: `${host}.example.com` }, path, accept);
  /** The good route serves now, and takes an edit. */
  const goodCheck = async (marker: string) => {
    assert.equal((await get("good", "/plain")).status, 200);
    await gateway.write("good.yaml", route("good", rule(`/${marker}`), rule("/plain"), rule("/stamped", "stamp")));
    await until("good", `/${marker}`, ({ status, echo }) => status === 200 && echo?.path === `/${marker}`);
    assert.equal((await get("good", "/stamped")).headers["x-stamp"], "1");
  };

  before(async () => {
    one = await startEchoBackend("one");
    port = await freePort();
    gateway = await startStandalone({
      files: {
        "gateway.yaml": joinDocuments(gatewayClass, httpGateway(port), service("one", [one])),
        "filters.yaml": joinDocuments(stamp("stamp", "1"), stamp("other", "a")),
        "good.yaml": route("good", rule("/plain"), rule("/stamped", "stamp")),
      },
    });
    await until("good", "/plain", ({ status }) => status === 200);
  });

  after(async () => {
    await gateway?.close();
    await one.close();
  });

  it("acts on the rule that refers to it, and on no other", async () => {
    assert.equal((await get("good", "/stamped")).headers["x-stamp"], "1");
    assert.equal((await get("good", "/plain")).headers["x-stamp"], undefined);
    const { status } = await gateway.statusWhen(
      "HTTPFilter",
      "team-a",
      "stamp",
      (file) => file.status.conditions !== undefined,
    );
    assert.ok(hasCondition(status.conditions, "Accepted", "True"));
  });

  it("takes several filters of one rule where their Envoy filters differ", async () => {
    await gateway.write(
      "tenant.yaml",
      filter(
        "tenant",
        "envoy.filters.http.header_to_metadata",
        `    "@type": type.googleapis.com/envoy.extensions.filters.http.header_to_metadata.v3.Config
    requestRules:
    - header: x-tenant
      onHeaderPresent: {metadataNamespace: demo, key: tenant}
      remove: true`,
      ),
    );
    await gateway.write("both.yaml", route("both", rule("/", "stamp", "tenant")));
    const { echo } = await until("both", "/", ({ status, headers }) => status === 200 && headers["x-stamp"] === "1");
    assert.ok(echo !== undefined);
    const answer = await get("both", "/", { headers: { "x-tenant": "t1" } });
    assert.equal(answer.echo?.headers["x-tenant"], undefined, "moved into metadata");
    assert.equal((await get("good", "/plain", { headers: { "x-tenant": "t1" } })).echo?.headers["x-tenant"], "t1");
  });

  it("follows an edit and a deletion", async () => {
    await gateway.write(
      "edited.yaml",
      joinDocuments(stamp("edited", "old"), route("edited", rule("/", "edited"), rule("/plain"))),
    );
    await until("edited", "/", ({ headers }) => headers["x-edited"] === "old");
    await gateway.write(
      "edited.yaml",
      joinDocuments(stamp("edited", "new"), route("edited", rule("/", "edited"), rule("/plain"))),
    );
    await until("edited", "/", ({ headers }) => headers["x-edited"] === "new");
    await gateway.write("edited.yaml", route("edited", rule("/", "edited"), rule("/plain")));
    await until("edited", "/", ({ status }) => status === 500);
    assert.equal((await get("edited", "/plain")).status, 200);
    const { status } = await gateway.statusWhen("HTTPRoute", "team-a", "edited", (file) =>
      hasCondition(file.status.parents?.[0]?.conditions, "ResolvedRefs", "False"),
    );
    assert.ok(status.parents?.[0]?.conditions.some(({ message }) => message.includes("edited")));
    await gateway.write(
      "edited.yaml",
      joinDocuments(stamp("edited", "back"), route("edited", rule("/", "edited"), rule("/plain"))),
    );
    await until("edited", "/", ({ headers }) => headers["x-edited"] === "back");
  });

  const bad: readonly [string, string, RegExp][] = [
    ["half-rule", halfRule, /on_?header_?present/i],
    [
      "not-allowed",
      filter(
        "not-allowed",
        "envoy.filters.http.lua",
        `    "@type": type.googleapis.com/envoy.extensions.filters.http.lua.v3.LuaPerRoute\n    disabled: true`,
      ),
      /not allowed|allow/i,
    ],
    [
      "wrong-type",
      filter(
        "wrong-type",
        "envoy.filters.http.header_mutation",
        `    "@type": type.googleapis.com/envoy.extensions.filters.http.header_mutation.v3.HeaderMutation`,
      ),
      /HeaderMutationPerRoute/,
    ],
    [
      "typo",
      filter(
        "typo",
        "envoy.filters.http.header_mutation",
        `    "@type": type.googleapis.com/envoy.extensions.filters.http.header_mutation.v3.HeaderMutationPerRoute\n    mutations: {responseMutation: []}`,
      ),
      /responseMutation/,
    ],
    [
      "rule-broken",
      filter(
        "rule-broken",
        "envoy.filters.http.header_mutation",
        `    "@type": type.googleapis.com/envoy.extensions.filters.http.header_mutation.v3.HeaderMutationPerRoute\n    mutations: {response_mutations: [{append: {header: {key: ""}}}]}`,
      ),
      /key/,
    ],
  ];
  for (const [name, manifest, says] of bad) {
    it(`costs only itself: ${name}`, async () => {
      await gateway.write("bad.yaml", joinDocuments(manifest, route("poisoned", rule("/bad", name), rule("/fine"))));
      await until("poisoned", "/fine", ({ status }) => status === 200);
      assert.equal((await get("poisoned", "/bad")).status, 500);
      const { status } = await gateway.statusWhen("HTTPFilter", "team-a", name, (file) =>
        hasCondition(file.status.conditions, "Accepted", "False"),
      );
      const message = status.conditions?.find(({ type }) => type === "Accepted")?.message ?? "";
      assert.match(message, says);
      await gateway.statusWhen("HTTPRoute", "team-a", "poisoned", (file) =>
        hasCondition(file.status.parents?.[0]?.conditions, "ResolvedRefs", "False"),
      );
      assert.ok(gateway.output().includes(name), "the log names the object");
      await goodCheck(`after-${name}`);
      await gateway.remove("bad.yaml");
      await until("poisoned", "/fine", ({ status: code }) => code === 404);
    });
  }

  it("serves the good and answers 500 for the bad after Envoy was killed, and after a restart of everything", async () => {
    await gateway.write(
      "bad.yaml",
      joinDocuments(halfRule, route("poisoned", rule("/bad", "half-rule"), rule("/fine"))),
    );
    await until("poisoned", "/bad", ({ status }) => status === 500);
    const pids = [...gateway.output().matchAll(/"?envoyPid"?[:=] ?(\d+)/g)].map((match) => Number(match[1]));
    const pid = pids.at(-1);
    assert.ok(pid !== undefined, "the log names Envoy's process");
    process.kill(pid, "SIGKILL");
    await until("poisoned", "/fine", ({ status }) => status === 200);
    assert.equal((await get("poisoned", "/bad")).status, 500);
    await goodCheck("after-envoy");
    await gateway.stop();
    await gateway.start();
    await until("poisoned", "/fine", ({ status }) => status === 200);
    assert.equal((await get("poisoned", "/bad")).status, 500);
    await goodCheck("after-restart");
  });
});
