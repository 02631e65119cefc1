import fc from "fast-check";
import type {
  Cluster,
  CorsPolicy,
  EndpointAddress,
  ForwardAction,
  HeaderChange,
  Listener,
  ListenerFilters,
  PathChange,
  PathMatch,
  RequestFilter,
  Route,
  RouteAction,
  RouteExtension,
  RouteMatch,
  TlsCertificate,
  UpstreamTls,
  ValueMatch,
  VirtualHost,
} from "../../operator/src/ir/index.ts";
import type { IrFragment } from "./ir-fragment.ts";

// An IR as translation may hand it over, and as it should never do: strings of users stand in it as they come.

const proxy = "infra/gw";
const clusterNames = ["team-a/one|80", "team-a/two|80", "team-b/one|http", "team-b/gone|80"];
const hosts = ["*", "*.example.com", "a.example.com", "b.example.com"];
const tables = [`${proxy}|80`, `${proxy}|443|a`, `${proxy}|443|b`];

/** Fields with undefined in them are left out, as exactOptionalPropertyTypes wants it. */
const record = <T, K extends keyof T>(model: { [P in keyof T]: fc.Arbitrary<T[P]> }, requiredKeys: K[]) =>
  fc.record<T, K>(model, { requiredKeys });

/** Mostly harmless, sometimes empty, odd, or full of what means something to Envoy. */
const text = fc.oneof(
  { weight: 6, arbitrary: fc.stringMatching(/^[a-z][a-z0-9.-]{0,12}$/) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 12 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "",
      "%",
      "%REQ(",
      "%REQ(x)%",
      "a\nb",
      "\0",
      "\\1",
      "(",
      "[^",
      "a b",
      "*",
      "?",
      "#",
      "ü",
      "%2F",
      ":path",
      "host",
      "Host",
      "a".repeat(20_000),
    ),
  },
);
const path = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("/", "/a", "/a/b", "/a.b", "/strip", "/ü", "/a%20b", "/(x)") },
  { weight: 1, arbitrary: text.map((value) => `/${value}`) },
  { weight: 1, arbitrary: text },
);
const regex = fc.oneof(
  fc.constantFrom("/v[0-9]+/.*", ".*", "(?i)a|b", "a{1,900}{1,900}", "(a", "[^/]+", "\\pL+", ""),
  text,
);

const valueMatch: fc.Arbitrary<ValueMatch> = fc.oneof(
  fc.record({ name: text, kind: fc.constant("exact" as const), value: text }),
  fc.record({ name: text, kind: fc.constant("regex" as const), value: regex }),
);
const pathMatch: fc.Arbitrary<PathMatch> = fc.oneof(
  fc.record({ kind: fc.constant("exact" as const), value: path }),
  fc.record({ kind: fc.constant("prefix" as const), value: path }),
  fc.record({ kind: fc.constant("regex" as const), value: regex }),
);
const match: fc.Arbitrary<RouteMatch> = record(
  {
    path: pathMatch,
    method: fc.constantFrom("GET", "PUT", "OPTIONS", ""),
    headers: fc.array(valueMatch, { maxLength: 2 }),
    queryParams: fc.array(valueMatch, { maxLength: 2 }),
  },
  ["path", "headers", "queryParams"],
);
const header = fc.record({ name: text, value: text });
const headerChange: fc.Arbitrary<HeaderChange> = fc.record({
  set: fc.array(header, { maxLength: 2 }),
  add: fc.array(header, { maxLength: 2 }),
  remove: fc.array(text, { maxLength: 2 }),
});
const pathChange: fc.Arbitrary<PathChange> = fc.record({
  kind: fc.constantFrom("fullPath" as const, "prefix" as const),
  value: path,
});
const clusterName = fc.constantFrom(...clusterNames);
const duration = fc.constantFrom(0, 1, 15, 999, 60_000, 360_000_000);

const forward: fc.Arbitrary<ForwardAction> = record(
  {
    kind: fc.constant("forward" as const),
    backends: fc.array(
      record(
        {
          cluster: clusterName,
          weight: fc.constantFrom(1, 7, 1_000_000),
          requestHeaders: headerChange,
          responseHeaders: headerChange,
          hostRewrite: text,
        },
        ["cluster", "weight"],
      ),
      { minLength: 1, maxLength: 3 },
    ),
    failing: fc.constantFrom({ weight: 1, total: 8 }, { weight: 1_000_000, total: 1_000_001 }),
    rewrite: record({ host: text, path: pathChange }, []),
    mirrors: fc.array(
      fc.record({
        cluster: clusterName,
        fraction: fc.constantFrom(
          { numerator: 1, denominator: 3 },
          { numerator: 0, denominator: 1 },
          { numerator: 5, denominator: 5 },
        ),
      }),
      { maxLength: 2 },
    ),
    requestTimeoutMs: duration,
    backendTimeoutMs: duration,
    retry: record(
      { attempts: fc.nat(4), statusCodes: fc.uniqueArray(fc.constantFrom(500, 503, 429)), backoffMs: duration },
      ["attempts", "statusCodes"],
    ),
  },
  ["kind", "backends", "mirrors"],
);
const action: fc.Arbitrary<RouteAction> = fc.oneof(
  { weight: 4, arbitrary: forward },
  {
    weight: 2,
    arbitrary: record(
      {
        kind: fc.constant("redirect" as const),
        scheme: fc.constantFrom("http" as const, "https" as const),
        host: text,
        port: fc.constantFrom(0, 80, 443, 65_535),
        path: pathChange,
        status: fc.constantFrom(301 as const, 302 as const, 303 as const, 307 as const, 308 as const),
      },
      ["kind", "status"],
    ),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("respond" as const), status: fc.constantFrom(404, 500, 99, 700) }),
  },
);
const cors: fc.Arbitrary<CorsPolicy> = fc.record({
  allowOrigins: fc.array(fc.oneof(fc.constantFrom("*", "https://*.example.com", "http://a:80", "https://*"), text), {
    maxLength: 3,
  }),
  allowMethods: fc.array(fc.constantFrom("*", "GET", "PUT"), { maxLength: 2 }),
  allowHeaders: fc.array(text, { maxLength: 2 }),
  exposeHeaders: fc.array(text, { maxLength: 2 }),
  allowCredentials: fc.boolean(),
  maxAgeSeconds: fc.constantFrom(1, 5, 86_400),
});

const extension = (filter: string, typeUrl: string): RouteExtension => ({
  filter,
  config: { typeUrl, value: new Uint8Array() },
  origin: { kind: "HTTPFilter", namespace: "team-a", name: filter },
});
const known = [
  extension(
    "envoy.filters.http.header_mutation",
    "type.googleapis.com/envoy.extensions.filters.http.header_mutation.v3.HeaderMutationPerRoute",
  ),
];
const unknown = [extension("not.a.filter", "type.googleapis.com/not.a.Filter")];
const extensions = fc.oneof(
  { weight: 9, arbitrary: fc.subarray(known) },
  { weight: 1, arbitrary: fc.constant([...known, ...unknown]) },
);

const route: fc.Arbitrary<Route> = record(
  {
    name: text,
    origin: fc.constant({ kind: "HTTPRoute", namespace: "team-a", name: "r" }),
    match,
    action,
    requestHeaders: headerChange,
    responseHeaders: headerChange,
    cors,
    extensions,
  },
  ["name", "origin", "match", "action", "extensions"],
);

const virtualHosts: fc.Arbitrary<readonly VirtualHost[]> = fc.uniqueArray(
  fc.record({
    proxy: fc.constant(proxy),
    routeTable: fc.constantFrom(...tables),
    host: fc.constantFrom(...hosts),
    routes: fc.array(route, { maxLength: 4 }),
  }),
  { selector: (host) => `${host.routeTable} ${host.host}`, maxLength: 6 },
);

/** What it trusts is in the place of `certificate`, which is in PEM where Envoy is to read it. */
const upstreamTls = ({ certificateChain, name }: TlsCertificate): fc.Arbitrary<UpstreamTls> =>
  record(
    {
      serverName: fc.oneof(fc.constant("app.example.com"), text),
      authorities: fc.constant({ kind: "bundle", pem: certificateChain }),
      clientCertificate: fc.constantFrom(name, "team-a/missing"),
      subjectAltNames: fc.array(
        fc.record({
          kind: fc.constantFrom("dns" as const, "uri" as const),
          value: fc.oneof(fc.constantFrom("app.example.com", "*.example.com", "*.", "*.(", "spiffe://a/b"), text),
        }),
        { maxLength: 2 },
      ),
    },
    ["serverName", "authorities", "subjectAltNames"],
  );

const cluster = (name: string, certificate: TlsCertificate): fc.Arbitrary<Cluster> =>
  record(
    {
      name: fc.constant(name),
      origin: fc.constant({ kind: "Service", namespace: "team-a", name }),
      endpoints: fc.oneof(
        fc.constant({ kind: "eds" as const }),
        fc.constant({ kind: "none" as const }),
        fc.record({
          kind: fc.constant("dns" as const),
          hostname: fc.oneof(fc.constant("db.example.org"), text),
          port: fc.constantFrom(0, 443),
        }),
      ),
      protocol: fc.constantFrom("http1" as const, "http2" as const, "websocket" as const),
      connectTimeoutMs: fc.constantFrom(0, 500, 10_000),
      tls: upstreamTls(certificate),
    },
    ["name", "origin", "endpoints", "protocol", "connectTimeoutMs"],
  );
const address: fc.Arbitrary<EndpointAddress> = record(
  {
    address: fc.oneof(fc.ipV4(), fc.ipV6(), text),
    port: fc.constantFrom(0, 80, 65_535, 70_000),
    zone: fc.constantFrom("a", "b"),
  },
  ["address", "port"],
);

const requestFilter: fc.Arbitrary<RequestFilter> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(...known, ...unknown).map((each) => ({ kind: "extension" as const, ...each })),
  },
  fc.constant({ kind: "respond" as const, status: 500 }),
  record(
    {
      kind: fc.constant("external-auth" as const),
      protocol: fc.constantFrom("http" as const, "grpc" as const),
      cluster: fc.constantFrom(...clusterNames),
      authority: fc.constant("who.team-a.svc"),
      pathPrefix: fc.constantFrom("/", "/ask", "/%20"),
      requestHeaders: fc.array(text, { maxLength: 3 }),
      responseHeaders: fc.array(text, { maxLength: 3 }),
      maxBodyBytes: fc.constantFrom(1, 2 ** 31 - 1),
    },
    ["kind", "protocol", "cluster", "authority", "requestHeaders", "responseHeaders"],
  ),
);
const listenerFilters: fc.Arbitrary<readonly ListenerFilters[]> = fc.uniqueArray(
  record(
    {
      hostname: fc.constantFrom(...hosts.filter((host) => host !== "*")),
      filters: fc.array(requestFilter, { maxLength: 3 }),
    },
    ["filters"],
  ),
  { minLength: 1, maxLength: 4, selector: ({ hostname }) => hostname },
);

const listeners = (certificate: TlsCertificate): fc.Arbitrary<readonly Listener[]> => {
  const http = (routeTable: string) =>
    record(
      {
        routeTable: fc.constant(routeTable),
        extensions: extensions.map((some) => some.map(({ filter }) => filter)),
        cors: fc.boolean(),
        requestFilters: listenerFilters,
      },
      ["routeTable", "extensions", "cors"],
    );
  const bind = { address: "127.0.0.1", port: 10_080 };
  const tls = (name: string) =>
    fc.record({
      name: fc.constant(name),
      serverNames: fc.uniqueArray(fc.constantFrom("a.example.com", "*.example.com", "A.example.com", "*.b", "*", ""), {
        maxLength: 2,
      }),
      tls: record(
        {
          certificates: fc.subarray([certificate.name, "team-a/missing"], { minLength: 1 }),
          alpnProtocols: fc.subarray(["h2", "http/1.1"]),
          clients: fc.record({
            authorities: fc.constant(certificate.certificateChain),
            accept: fc.constantFrom("valid" as const, "any" as const),
          }),
        },
        ["certificates", "alpnProtocols"],
      ),
      http: http(`${proxy}|443|${name}`),
    });
  const plain = fc.record({
    proxy: fc.constant(proxy),
    name: fc.constant("http-80"),
    port: fc.constant(80),
    bind: fc.constant(bind),
    filterChains: fc.tuple(
      fc.record({ name: fc.constant("http-80"), serverNames: fc.constant([]), http: http(`${proxy}|80`) }),
    ),
  });
  const encrypted = fc.record({
    proxy: fc.constant(proxy),
    name: fc.constant("https-443"),
    port: fc.constant(443),
    bind: fc.constant(bind),
    filterChains: fc.tuple(tls("a"), tls("b")),
  });
  return fc.tuple(plain, encrypted);
};

/** A whole IR; `certificate` is what its HTTPS listener serves. */
export const arbitraryIr = (certificate: TlsCertificate): fc.Arbitrary<IrFragment> =>
  fc.record({
    listeners: listeners(certificate),
    routeTables: fc.tuple(
      ...tables.map((name) =>
        fc.constantFrom(
          { proxy, discovery: "inline" as const, name },
          { proxy, discovery: "vhds" as const, name: `${name}+vhds` },
        ),
      ),
    ),
    virtualHosts,
    clusters: fc.tuple(...clusterNames.slice(0, -1).map((name) => cluster(name, certificate))),
    endpoints: fc.tuple(
      ...clusterNames.map((name) =>
        fc.record({ cluster: fc.constant(name), addresses: fc.array(address, { maxLength: 3 }) }),
      ),
    ),
    secrets: fc.constant([certificate]),
  });
