// Filters of listeners by effect (GEP-5224): they work before a route is chosen, in their order, and for nobody else.
import assert from "node:assert/strict";
import { Agent } from "node:http";
import { type AuthServer, startGrpcAuth, startHttpAuth } from "../support/auth-server.ts";
import { type Certificate, makeCertificate } from "../support/certificates.ts";
import { type EchoBackend, startEchoBackend } from "../support/echo-backend.ts";
import { freePort } from "../support/free-port.ts";
import { type Answer, eventually, send, type SendOptions } from "../support/http-client.ts";
import { gatewayClass, joinDocuments, service } from "./support/manifests.ts";
import { hasCondition, type Standalone, startStandalone } from "./support/standalone.ts";

type Filter = object;

const filter = (name: string): Filter => ({
  type: "ExtensionRef",
  extensionRef: { group: "config.aether.io", kind: "HTTPFilter", name },
});

const auth = (name: string, more: object = {}, namespace?: string): Filter => ({
  type: "ExternalAuth",
  externalAuth: { protocol: "HTTP", http: {}, backendRef: { name, port: 80, namespace }, ...more },
});

const httpFilter = (name: string, envoyFilter: string, typedConfig: object) =>
  JSON.stringify({
    apiVersion: "config.aether.io/v1",
    kind: "HTTPFilter",
    metadata: { name, namespace: "team-a" },
    spec: { filter: envoyFilter, typedConfig },
  });

/** Sets a request header, or removes it. */
const header = (name: string, key: string, value?: string) =>
  httpFilter(name, "envoy.filters.http.header_mutation", {
    "@type": "type.googleapis.com/envoy.extensions.filters.http.header_mutation.v3.HeaderMutationPerRoute",
    mutations: {
      requestMutations: [
        value === undefined
          ? { remove: key }
          : { append: { header: { key, value }, appendAction: "OVERWRITE_IF_EXISTS_OR_ADD" } },
      ],
    },
  });

/** Refuses requests that have a header. */
const refuseWith = (name: string, key: string) =>
  httpFilter(name, "envoy.filters.http.rbac", {
    "@type": "type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBACPerRoute",
    rbac: {
      rules: {
        action: "DENY",
        policies: {
          one: { permissions: [{ header: { name: key, presentMatch: true } }], principals: [{ any: true }] },
        },
      },
    },
  });

const listener = (name: string, hostname: string | undefined, filters: readonly Filter[], more: object = {}) => ({
  name,
  protocol: "HTTP",
  ...(hostname !== undefined && { hostname }),
  allowedRoutes: { namespaces: { from: "All" } },
  ...(filters.length > 0 && { filters: { requests: filters } }),
  ...more,
});

const gatewayOf = (port: number, listeners: readonly object[]) =>
  JSON.stringify({
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "Gateway",
    metadata: { name: "gw", namespace: "team-a" },
    spec: {
      gatewayClassName: "gatewright",
      allowedListeners: { namespaces: { from: "All" } },
      listeners: listeners.map((each) => ({ port, ...each })),
    },
  });

const toTenant = (tenant: string, backend: string, filters: readonly Filter[] = []) => ({
  matches: [{ headers: [{ name: "x-tenant", value: tenant }] }],
  filters,
  backendRefs: [{ name: backend, port: 80 }],
});

/** Attached to all listeners: \`one\` for silver, \`two\` for gold, \`other\` for what has no tenant. */
const route = (parent: object = { name: "gw" }, name = "tenants", rules: readonly object[] = []) =>
  JSON.stringify({
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: { name, namespace: "team-a" },
    spec: {
      parentRefs: [parent],
      rules: [
        ...rules,
        toTenant("silver", "one"),
        toTenant("gold", "two"),
        toTenant("guarded", "two", [filter("no-bad")]),
        { backendRefs: [{ name: "other", port: 80 }] },
      ],
    },
  });

const secretOf = ({ certificate, privateKey }: Certificate) =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { namespace: "team-a", name: "cert" },
    type: "kubernetes.io/tls",
    stringData: { "tls.crt": certificate, "tls.key": privateKey },
  });

describe("filters of listeners, by effect", function () {
  this.timeout(120_000);
  let gateway: Standalone;
  let port: number;
  let tlsPort: number;
  let backends: readonly EchoBackend[];
  let asker: AuthServer;
  let grpc: AuthServer;
  const certificate = makeCertificate({ dnsNames: ["secure.io"] });

  const get = (host: string, path = "/", options: SendOptions = {}): Promise<Answer> =>
    send({ port, host }, path, options);
  const until = (host: string, accept: (answer: Answer) => boolean, options: Parameters<typeof eventually>[3] = {}) =>
    eventually({ port, host }, "/", accept, options);
  const goesTo = (backend: string) => (answer: Answer) => answer.echo?.backend === backend;

  before(async () => {
    backends = await Promise.all(["one", "two", "other"].map((name) => startEchoBackend(name)));
    asker = await startHttpAuth({ "x-tenant": "gold", "x-user": "alice", host: "stolen.io" });
    grpc = await startGrpcAuth({
      headers: [
        ...[":authority", "host", ":scheme"].map((key) => ({ header: { key, value: "stolen.io" } })),
        { header: { key: ":path", value: "/changed" } },
        { header: { key: "x-tenant", value: "silver" } },
      ],
    });
    port = await freePort();
    tlsPort = await freePort();
    gateway = await startStandalone({
      files: {
        "class.yaml": gatewayClass,
        "services.yaml": joinDocuments(
          ...backends.map((backend) => service(backend.name, [backend])),
          service("asker", [asker]),
          service("grpc", [grpc]),
          service("nobody", []),
        ),
        "secret.yaml": secretOf(certificate),
        "filters.yaml": joinDocuments(
          header("silver", "x-tenant", "silver"),
          header("gold", "x-tenant", "gold"),
          header("guarded", "x-tenant", "guarded"),
          header("nobody", "x-tenant"),
          header("bad", "x-bad", "1"),
          refuseWith("no-bad", "x-bad"),
          refuseWith("no-tenant", "x-tenant"),
        ),
        "gateway.yaml": gatewayOf(port, [
          listener("silver-gold", "silver-gold.example.com", [filter("silver"), filter("gold")]),
          listener("gold-silver", "gold-silver.example.com", [filter("gold"), filter("silver")]),
          listener("early", "early.example.com", [filter("no-tenant"), filter("gold")]),
          listener("late", "late.example.com", [filter("gold"), filter("no-tenant")]),
          listener("http-auth", "http-auth.example.com", [
            filter("silver"),
            auth("asker", { http: { path: "/ask", allowedHeaders: ["X-Tenant"] }, forwardBody: { maxSize: 10 } }),
            filter("bad"),
          ]),
          listener("grpc-auth", "grpc-auth.example.com", [
            auth("grpc", { protocol: "GRPC", grpc: {}, http: undefined }),
          ]),
          listener("unanswered", "unanswered.example.com", [auth("nobody")]),
          listener("guarded", "guarded.example.com", [filter("guarded")]),
          listener("plain", "*.example.com", []),
          listener("wild", "*.wild.io", [filter("gold")]),
          listener("inner", "inner.wild.io", []),
          listener("secure", "secure.io", [filter("gold")], {
            port: tlsPort,
            protocol: "HTTPS",
            tls: { certificateRefs: [{ name: "cert" }] },
          }),
        ]),
        "route.yaml": route(),
      },
    });
    await until("silver-gold.example.com", goesTo("two"), { withinMs: 60_000 });
  });

  after(async () => {
    await gateway?.close();
    await Promise.all([...backends, asker, grpc].map((each) => each.close()));
  });

  it("work in the order of the list, the last word being that of the last", async () => {
    assert.equal((await get("silver-gold.example.com")).echo?.backend, "two");
    assert.equal((await get("gold-silver.example.com")).echo?.backend, "one");
    assert.equal((await get("early.example.com")).status, 200);
    assert.equal((await get("late.example.com")).status, 403);
  });

  it("choose the route by what they made of the request, and not by what came", async () => {
    const { echo } = await get("silver-gold.example.com", "/", { headers: { "x-tenant": "silver" } });
    assert.equal(echo?.backend, "two");
    assert.equal(echo.headers["x-tenant"], "gold");
  });

  it("are nobody else's, whose hosts lie around or within", async () => {
    for (const host of ["plain.example.com", "x.silver-gold.example.com", "inner.wild.io", "INNER.wild.io:80"]) {
      const { echo } = await get(host);
      assert.equal(echo?.backend, "other", host);
      assert.equal(echo.headers["x-tenant"], undefined, host);
    }
    for (const host of ["a.wild.io", "A.Wild.io", "b.inner.wild.io", `a.wild.io:${port}`, "a.wild.io:"])
      assert.equal((await get(host)).echo?.backend, "two", host);
    assert.equal((await get("wild.io")).status, 404);
    // Whatever Envoy takes for a host of the listener passes its filters.
    const odd = [
      "x@y.wild.io",
      "%00.wild.io",
      "a_b.wild.io",
      "-.wild.io",
      "a..wild.io",
      ".a.wild.io",
      "*.wild.io",
      "a,b.wild.io",
    ];
    const bytes = [
      "\u017f.wild.io",
      "\u00ff.wild.io",
      "a b.wild.io",
      "inner.wild.io:80:90",
      "a.wild.io]:1",
      "inner.wild.io.",
    ];
    for (const host of [...odd, ...bytes.map((each) => Buffer.from(each).toString("latin1"))]) {
      const { status, echo } = await get(host);
      assert.ok(status === 400 || status === 404 || echo?.backend === "two", `${host}: ${status} ${echo?.backend}`);
    }
    const tls = { ca: certificate.certificate, serverName: "secure.io" };
    assert.equal((await send({ port: tlsPort, host: "secure.io", tls }, "/")).echo?.backend, "two");
  });

  it("answer in the place of the route, and then nothing follows", async () => {
    const before = backends.map(({ seen }) => seen());
    const { status, body, headers } = await get("http-auth.example.com", "/", { headers: { authorization: "no" } });
    assert.deepEqual([status, body, headers["x-denied"]], [401, "who are you?", "by the auth server"]);
    assert.equal((await get("grpc-auth.example.com", "/", { headers: { authorization: "no" } })).status, 401);
    assert.deepEqual(
      backends.map(({ seen }) => seen()),
      before,
    );
  });

  it("ask a server over HTTP, whose headers choose the route", async () => {
    const answer = await get("http-auth.example.com", "/a?b=c", {
      method: "POST",
      body: "0123456789",
      headers: { "x-secret": "s", authorization: "yes" },
    });
    assert.equal(answer.echo?.backend, "two");
    assert.equal(answer.echo.headers["x-user"], "alice");
    assert.equal(answer.echo.headers["x-bad"], "1");
    assert.equal(answer.echo.headers["content-length"], "10", "that of the request");
    const { method, path, host, headers, body } = asker.asked().at(-1) ?? assert.fail("nobody was asked");
    assert.deepEqual([method, path, host, body], ["POST", "/ask/a?b=c", "http-auth.example.com", "0123456789"]);
    assert.deepEqual(
      [headers["x-tenant"], headers["x-secret"], headers["authorization"]],
      ["silver", undefined, "yes"],
    );
    const tooLarge = await get("http-auth.example.com", "/", { method: "POST", body: "0123456789a" });
    assert.equal(tooLarge.status, 413);
  });

  it("ask a server over gRPC, which may change the path", async () => {
    const { echo } = await get("grpc-auth.example.com", "/asked");
    assert.deepEqual([echo?.backend, echo?.path], ["one", "/changed"]);
    const { path, host } = grpc.asked().at(-1) ?? assert.fail("nobody was asked");
    assert.deepEqual([path, host], ["/asked", "grpc-auth.example.com"]);
  });

  it("never change the host", async () => {
    for (const host of ["http-auth.example.com", "grpc-auth.example.com"]) {
      const { echo } = await get(host);
      assert.equal(echo?.host, host);
      assert.equal(echo.headers["x-forwarded-proto"], "http");
    }
  });

  it("let nobody by where a server does not answer", async () => {
    assert.equal((await get("unanswered.example.com")).status, 503);
  });

  it("leave filters of the route that they choose at work", async () => {
    assert.equal((await get("guarded.example.com")).echo?.backend, "two");
    assert.equal((await get("guarded.example.com", "/", { headers: { "x-bad": "1" } })).status, 403);
    // Not by what the client says of itself: the listener has the last word.
    assert.equal((await get("silver-gold.example.com", "/", { headers: { "x-bad": "1" } })).status, 200);
  });

  it("follow an edit of an HTTPFilter on connections that are open", async () => {
    await gateway.write("edited.yaml", joinDocuments(header("edited", "x-tenant", "silver"), setOf("edited")));
    await until("edited.io", goesTo("one"));
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    let closed = 0;
    agent.on("free", (socket) => socket.once("close", () => closed++));
    assert.equal((await get("edited.io", "/", { agent })).echo?.backend, "one");
    await gateway.write("edited.yaml", joinDocuments(header("edited", "x-tenant", "gold"), setOf("edited")));
    await until("edited.io", goesTo("two"), { agent });
    assert.equal(closed, 0, "the connection stays");
    agent.destroy();
    // Another filter in Envoy under the same name.
    await gateway.write("edited.yaml", joinDocuments(refuseWith("edited", "x-tenant"), setOf("edited")));
    await until("edited.io", goesTo("other"));
    assert.equal((await get("edited.io", "/", { headers: { "x-tenant": "gold" } })).status, 403);
    await gateway.remove("edited.yaml");
    await until("edited.io", ({ status }) => status === 404);
  });

  /** A ListenerSet with one listener for the host `<name>.io` that has the filter of that name. */
  const setOf = (name: string, filters: readonly Filter[] = [filter(name)], namespace = "team-a") =>
    joinDocuments(
      JSON.stringify({
        apiVersion: "gateway.networking.k8s.io/v1",
        kind: "ListenerSet",
        metadata: { name, namespace },
        spec: {
          parentRef: { name: "gw", namespace: "team-a" },
          listeners: [listener(name, `${name}.io`, filters, { port })],
        },
      }),
      route({ kind: "ListenerSet", name, namespace }, name),
    );

  const listenerConditions = async (name: string, type: string, status: string, reason: string) => {
    const file = await gateway.statusWhen("ListenerSet", "team-a", name, ({ status: { listeners = [] } }) =>
      hasCondition(listeners[0]?.conditions, type, status, reason),
    );
    return file.status.listeners?.[0]?.conditions.find((condition) => condition.type === type)?.message ?? "";
  };

  const lua = httpFilter("broken", "envoy.filters.http.lua", {
    "@type": "type.googleapis.com/envoy.extensions.filters.http.lua.v3.LuaPerRoute",
    sourceCode: { inlineString: "function envoy_on_request(h) h:headers():replace(':authority', 'stolen.io') end" },
  });
  const broken: readonly [what: string, file: string, type: string, reason: string, words: RegExp][] = [
    ["missing", "", "ResolvedRefs", "InvalidListenerFilterRef", /filters\.requests\[0\].*does not exist/],
    [
      "to change the host",
      header("broken", "host", "stolen.io"),
      "Accepted",
      "InvalidListenerFilter",
      /may not be host/,
    ],
    ["to change :authority", header("broken", ":authority", "x"), "Accepted", "InvalidListenerFilter", /:authority/],
    ["to remove the host", header("broken", "Host"), "Accepted", "InvalidListenerFilter", /may not be Host/],
    ["a program that might", lua, "Accepted", "InvalidListenerFilter", /cannot be used by an HTTPFilter/],
  ];

  const brokenSet = () =>
    joinDocuments(
      JSON.stringify({
        apiVersion: "gateway.networking.k8s.io/v1",
        kind: "ListenerSet",
        metadata: { name: "broken", namespace: "team-a" },
        spec: {
          parentRef: { name: "gw" },
          listeners: [{ ...listener("broken", "broken.example.com", [filter("broken")]), port }],
        },
      }),
      route({ kind: "ListenerSet", name: "broken" }, "broken"),
    );

  for (const [what, file, type, reason, words] of broken)
    it(`that cannot be had keep their host and answer 500: ${what}`, async () => {
      // The route has the Gateway's wide listener for a parent too, and must not be reached by that one.
      await gateway.write("broken.yaml", joinDocuments(...[file].filter(Boolean), brokenSet()));
      assert.match(await listenerConditions("broken", type, "False", reason), words);
      await listenerConditions("broken", "Programmed", "False", "Invalid");
      await until("broken.example.com", ({ status }) => status === 500);
      assert.equal((await get("plain.example.com")).echo?.backend, "other");
      await gateway.write("broken.yaml", joinDocuments(header("broken", "x-tenant", "gold"), brokenSet()));
      await listenerConditions("broken", "Programmed", "True", "Programmed");
      await until("broken.example.com", goesTo("two"));
      await gateway.remove("broken.yaml");
      await until("broken.example.com", goesTo("other"));
    });
});
