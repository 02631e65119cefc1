// What comes over ADS, tried on a real Envoy that was started from our bootstrap.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect as connectHttp2, createServer as createHttp2Server } from "node:http2";
import { type AddressInfo, connect } from "node:net";
import { connect as connectTls } from "node:tls";
import { create } from "@bufbuild/protobuf";
import { HeaderMutationPerRouteSchema } from "@gatewright/crd-types/proto/envoy/extensions/filters/http/header_mutation/v3/header_mutation_pb";
import { ConfigSchema } from "@gatewright/crd-types/proto/envoy/extensions/filters/http/header_to_metadata/v3/header_to_metadata_pb";
import {
  type Cluster,
  type FilterChain,
  type Listener,
  type Route,
  type RouteExtension,
  routeTableKey,
  routeTableName,
} from "../../operator/src/ir/index.ts";
import { Sensitive } from "../../operator/src/lib/index.ts";
import { packAny } from "../../operator/src/xds/proto/index.ts";
import { type Certificate, makeCertificate } from "../support/certificates.ts";
import { type EchoBackend, startEchoBackend } from "../support/echo-backend.ts";
import { freePort } from "../support/free-port.ts";
import { eventually, send, type Target } from "../support/http-client.ts";
import type { IrFragment } from "../support/ir-fragment.ts";
import { openXdsWorld, type XdsWorld } from "../support/xds-world.ts";

const proxy = "infra/gw";
const httpTable = routeTableKey(proxy, 80);
const tlsTable = (name: string) => routeTableKey(proxy, 443, name);

let routes = 0;
const route = (path: string, more: Partial<Route> = {}, cluster = "team-a/one|80"): Route => ({
  name: `team-a/test/${routes++}/0`,
  origin: { kind: "HTTPRoute", namespace: "team-a", name: "test" },
  match: { path: { kind: "prefix", value: path }, headers: [], queryParams: [] },
  action: { kind: "forward", backends: [{ cluster, weight: 1 }], mirrors: [] },
  extensions: [],
  ...more,
});

const cluster = (name: string, protocol: Cluster["protocol"] = "http1"): Cluster => ({
  name,
  origin: { kind: "Service", namespace: "team-a", name },
  endpoints: { kind: "eds" },
  protocol,
  connectTimeoutMs: 1_000,
});

const mutation = "envoy.filters.http.header_mutation";
const toMetadata = "envoy.filters.http.header_to_metadata";
const stamp = (value: string): RouteExtension => {
  const mutations = {
    responseMutations: [{ action: { case: "append", value: { header: { key: "x-stamp", value } } } } as const],
  };
  const config = packAny(HeaderMutationPerRouteSchema, create(HeaderMutationPerRouteSchema, { mutations }));
  return { filter: mutation, config, origin: { kind: "HTTPFilter", namespace: "team-a", name: "stamp" } };
};
const tenant: RouteExtension = {
  filter: toMetadata,
  config: packAny(ConfigSchema, {
    requestRules: [{ header: "x-tenant", onHeaderPresent: { metadataNamespace: "envoy.lb", key: "tenant" } }],
  }),
  origin: { kind: "HTTPFilter", namespace: "team-a", name: "tenant" },
};

/** Nobody serves this name any more. */
async function eventuallyRefused(target: Target): Promise<void> {
  for (const deadline = Date.now() + 10_000; ; ) {
    const answered = await send(target, "/").then(
      () => true,
      () => false,
    );
    if (!answered) return;
    assert.ok(Date.now() < deadline, `${target.host} is still served`);
  }
}

describe("xDS over ADS, by effect", function () {
  this.timeout(60_000);
  let world: XdsWorld;
  let one: EchoBackend;
  let rpc: ReturnType<typeof createHttp2Server>;
  let socket: ReturnType<typeof createServer>;
  let ports: { readonly http: number; readonly tls: number };
  let base: Required<IrFragment>;
  const certificates = {
    a: makeCertificate({ dnsNames: ["a.example.com"] }),
    b: makeCertificate({ dnsNames: ["b.example.com"] }),
  };
  const secret = (name: string, { certificate, privateKey }: Certificate) => ({
    name: `team-a/${name}`,
    certificateChain: certificate,
    privateKey: new Sensitive(privateKey),
  });

  const chain = (name: string): FilterChain => ({
    name,
    serverNames: [`${name}.example.com`],
    tls: { certificates: [`team-a/${name}`], alpnProtocols: ["h2", "http/1.1"] },
    http: { routeTable: tlsTable(name), extensions: [], cors: false },
  });
  const listener = (more: Pick<Listener, "name" | "port" | "filterChains">): Listener => ({
    proxy,
    bind: { address: "127.0.0.1", port: more.port === 80 ? ports.http : ports.tls },
    ...more,
  });
  const plain = (extensions: readonly string[]) =>
    listener({
      name: "http-80",
      port: 80,
      filterChains: [{ name: "http-80", serverNames: [], http: { routeTable: httpTable, extensions, cors: false } }],
    });
  const encrypted = (...names: string[]) => listener({ name: "https-443", port: 443, filterChains: names.map(chain) });

  const host = (name: string) => ({ port: ports.http, host: `${name}.example.com` });
  const stat = async (name: string): Promise<number> => {
    const text = await world.envoy.admin(`/stats?filter=^${name}$`);
    return Number(text.slice(text.lastIndexOf(":") + 1));
  };
  /** Replaces the host's routes. */
  const withRoutes = (name: string, ...those: readonly Route[]): Required<IrFragment> => ({
    ...base,
    virtualHosts: [
      ...base.virtualHosts.filter((other) => other.host !== `${name}.example.com`),
      { proxy, routeTable: httpTable, host: `${name}.example.com`, routes: those },
    ],
  });

  before(async () => {
    one = await startEchoBackend("one");
    rpc = createHttp2Server((_, response) => response.end("from h2"));
    socket = createServer().on("upgrade", (_, upgraded) => {
      upgraded.write("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n");
      upgraded.pipe(upgraded);
    });
    for (const server of [rpc, socket]) await once(server.listen(0, "127.0.0.1"), "listening");
    ports = { http: await freePort(), tls: await freePort() };
    const at = (name: string, port: number) => ({ cluster: name, addresses: [{ address: "127.0.0.1", port }] });
    const portOf = (server: { address: () => AddressInfo | string | null }) => {
      const address = server.address();
      assert.ok(typeof address === "object" && address !== null);
      return address.port;
    };
    const virtualHost = (routeTable: string, name: string, ...those: readonly Route[]) => ({
      proxy,
      routeTable,
      host: `${name}.example.com`,
      routes: those,
    });
    base = {
      listeners: [plain([mutation, toMetadata]), encrypted("a")],
      routeTables: [
        { proxy, discovery: "vhds", name: routeTableName(httpTable, "vhds") },
        { proxy, discovery: "inline", name: tlsTable("a") },
        { proxy, discovery: "inline", name: tlsTable("b") },
      ],
      virtualHosts: [
        virtualHost(httpTable, "a", route("/stamped", { extensions: [stamp("1"), tenant] }), route("/")),
        virtualHost(httpTable, "kinds", route("/rpc", {}, "team-a/rpc|80"), route("/socket", {}, "team-a/socket|80")),
        virtualHost(httpTable, "fat", {
          ...route("/"),
          match: {
            path: { kind: "regex", value: "/(alpha|beta|gamma|delta){1,40}/[a-z0-9]{1,200}" },
            headers: [],
            queryParams: [],
          },
        }),
        virtualHost(tlsTable("a"), "a", route("/")),
        virtualHost(tlsTable("b"), "b", route("/")),
      ],
      clusters: [cluster("team-a/one|80"), cluster("team-a/rpc|80", "http2"), cluster("team-a/socket|80", "websocket")],
      endpoints: [
        at("team-a/one|80", one.port),
        at("team-a/rpc|80", portOf(rpc)),
        at("team-a/socket|80", portOf(socket)),
      ],
      secrets: [secret("a", certificates.a), secret("b", certificates.b)],
    };
    world = await openXdsWorld(proxy, base);
    // Virtual hosts come after the listener that asks for them.
    await eventually(host("a"), "/", ({ status }) => status === 200);
  });

  after(async () => {
    await world?.close();
    await one.close();
    for (const server of [rpc, socket]) server.close();
  });

  beforeEach(() => world.apply(base));

  afterEach(() => assert.deepEqual(world.refusals, []));

  it("applies a filter where a route configures it, and nowhere else", async () => {
    assert.equal((await send(host("a"), "/stamped")).headers["x-stamp"], "1");
    assert.equal((await send(host("a"), "/plain")).headers["x-stamp"], undefined);
  });

  it("brings a filter's chain entry by ECDS, and needs no new listener for another configuration", async () => {
    const dump = await world.envoy.admin("/config_dump?resource=ecds_filters");
    for (const filter of [mutation, toMetadata]) assert.ok(dump.includes(`"name": "${filter}"`), dump);
    const updates = await stat("listener_manager.lds.update_success");
    world.apply(withRoutes("a", route("/stamped", { extensions: [stamp("2")] }), route("/")));
    await eventually(host("a"), "/stamped", ({ headers }) => headers["x-stamp"] === "2");
    world.apply(withRoutes("a", route("/")));
    await eventually(host("a"), "/stamped", ({ headers }) => headers["x-stamp"] === undefined);
    assert.equal(await stat("listener_manager.lds.update_success"), updates);
  });

  it("takes an entry away with the last route that needs it", async () => {
    world.apply({ ...withRoutes("a", route("/")), listeners: [plain([]), encrypted("a")] });
    await eventually(host("a"), "/stamped", ({ headers }) => headers["x-stamp"] === undefined);
    const hasEntry = async () =>
      (await world.envoy.admin("/config_dump?resource=dynamic_listeners&name_regex=http-80")).includes(mutation);
    // The old listener's chain drains; the new one is active.
    while (await hasEntry()) await send(host("a"), "/");
  });

  it("keeps connections of one server name when another comes and goes", async () => {
    const target = (name: "a" | "b") => ({
      port: ports.tls,
      host: `${name}.example.com`,
      tls: { ca: certificates[name].certificate },
    });
    await eventually(target("a"), "/", ({ status }) => status === 200);
    const inPlace = await stat("listener_manager.listener_in_place_updated");
    const client = connectTls({
      port: ports.tls,
      host: "127.0.0.1",
      servername: "a.example.com",
      ca: certificates.a.certificate,
    });
    client.setEncoding("utf8");
    const ask = async () => {
      client.write("GET /kept HTTP/1.1\r\nhost: a.example.com\r\n\r\n");
      let answer = "";
      while (!answer.includes('"/kept"')) answer += String((await once(client, "data"))[0]);
      assert.doesNotMatch(answer, /connection: close/i);
    };
    await ask();
    world.apply({ ...base, listeners: [plain([mutation, toMetadata]), encrypted("a", "b")] });
    await eventually(target("b"), "/", ({ status }) => status === 200);
    await ask();
    world.apply(base);
    await eventuallyRefused(target("b"));
    await ask();
    client.destroy();
    assert.equal(await stat("listener_manager.listener_in_place_updated"), inPlace + 2);
  });

  it("exchanges a certificate without a new listener", async () => {
    const at = { port: ports.tls, host: "a.example.com" };
    const renewed = makeCertificate({ dnsNames: ["a.example.com"] });
    const updates = await stat("listener_manager.lds.update_success");
    await eventually({ ...at, tls: { ca: certificates.a.certificate } }, "/", ({ status }) => status === 200);
    world.apply({ ...base, secrets: [secret("a", renewed), secret("b", certificates.b)] });
    await eventually({ ...at, tls: { ca: renewed.certificate } }, "/", ({ status }) => status === 200);
    assert.equal(await stat("listener_manager.lds.update_success"), updates);
  });

  it("takes expressions beyond Envoy's own limit", async () => {
    await eventually(host("fat"), "/alphabeta/x1", ({ status }) => status === 200);
    assert.equal((await send(host("fat"), "/omega/x1")).status, 404);
  });

  it("speaks HTTP/2 to backends that ask for it, and to clients in plain text", async () => {
    assert.equal((await eventually(host("kinds"), "/rpc", ({ status }) => status === 200)).body, "from h2");
    const session = connectHttp2(`http://127.0.0.1:${ports.http}`);
    const stream = session.request({ ":path": "/rpc", ":authority": "kinds.example.com" });
    const [headers] = await once(stream, "response");
    assert.equal(headers[":status"], 200);
    session.destroy();
  });

  it("lets WebSockets through", async () => {
    const client = connect(ports.http, "127.0.0.1");
    const head = ["GET /socket HTTP/1.1", "host: kinds.example.com", "connection: upgrade", "upgrade: websocket"];
    client.write(`${head.join("\r\n")}\r\n\r\n`);
    let received = "";
    client.setEncoding("utf8").on("data", (text: string) => (received += text));
    while (!received.includes("\r\n\r\n")) await once(client, "data");
    assert.match(received, /^HTTP\/1.1 101 /);
    client.write("ping");
    while (!received.endsWith("ping")) await once(client, "data");
    client.destroy();
  });

  it("answers 503 while a backend has no addresses, and serves as soon as it has some", async () => {
    const without = base.endpoints.map((entry) =>
      entry.cluster === "team-a/one|80" ? { ...entry, addresses: [] } : entry,
    );
    world.apply({ ...base, endpoints: without });
    await eventually(host("a"), "/", ({ status }) => status === 503);
    world.apply(base);
    await eventually(host("a"), "/", ({ status }) => status === 200);
  });
});
