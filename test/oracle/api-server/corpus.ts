import { schemas } from "@gatewright/crd-types/schemas";
import { stringify } from "yaml";
import { makeCertificate } from "../../support/certificates.ts";

/** A text that is read as it stands, a manifest of a kind that Kubernetes has by itself, or one whose kind is a custom resource. */
export type Case = { readonly text: string; readonly kind?: string };

export const requestOf = ({ text, kind }: Case): object =>
  kind === undefined
    ? { text }
    : builtins.has(kind)
      ? { text, builtin: true }
      : { text, schema: Object.entries(schemas).find(([name]) => name === kind)?.[1] };

const builtins: ReadonlySet<string> = new Set([
  "ClusterTrustBundle",
  "ConfigMap",
  "EndpointSlice",
  "Namespace",
  "Secret",
  "Service",
]);

const words = [
  ..."y Y n N yes Yes YES yEs no No NO on On ON off Off OFF oN true True TRUE tRUE false False FALSE ~ null Null NULL nULL nil".split(
    " ",
  ),
  ...".nan .NaN .NAN .Nan .inf .Inf .INF -.inf +.inf +.Inf -.INF .INf inf nan Infinity NaN".split(" "),
  ..."0 -0 +0 00 000 01 07 08 09 010 018 0120 0128 -07 -08 -010 +010 0777 0888 0o17 0O17 0o8 -0o7 +0o7".split(" "),
  ..."0b11 0B11 0b12 -0b1 +0b1 0x1F 0X1f -0x1 +0x1 0xG 0x 0b 0o 0_7 0x_F 0b_1 0o_7 1_000 1__0 _1 1_ 1_. 1_e3 1e3_ 1_2.3_4".split(
    " ",
  ),
  ..."1. .5 5. +.5 -.5 ._5 1.5 1.50 1e3 1E5 1e+3 1e-3 1.e3 .e3 1.5e3 1e 1e+ 1e5.5 1..2 . + .. 01.5 0123.5 08.5 00.5".split(
    " ",
  ),
  ..."1,000 12:30:45 190:20:30 1:2 2001-01-01 2001-1-1 2001-01-01T00:00:00Z 2001-13-45 0x1p3 1p3 1f 1L 1-2 1+2 +1 ++1 +-1".split(
    " ",
  ),
  ..."9007199254740991 100000000000000000000000 1e308 1e400 -1e400 1.2.3 v1 10.0.0.1 1Mi 100m 5s 1h30m = a.b".split(
    " ",
  ),
];

const isKey = (word: string): boolean => !/^(?:9007|1000000|1e308)/.test(word);

/** How plain words are read, and words in quotes, in lists, as keys, and with tags. */
export const scalars: readonly Case[] = [
  ...words.flatMap((word) => [`a: ${word}`, `a: [${word}]`, `a: '${word}'`, `a: !!str ${word}`]),
  ...words.filter(isKey).map((word) => `${word}: x`),
  "a: !!int '3'",
  "a: !!float 3",
  "a: !!binary aGk=",
  "a: !foo x",
  "a: !foo 1",
  "a: !foo {b: yes}",
  "a: !foo [on]",
  "a: !!timestamp 2001-01-01",
  "a: !!null ''",
  "a: !!bool yes",
  "a: !!int 0b11",
  "a: !!int x",
  "a: !!bool x",
  "a: &x {p: 1}\nb: {<<: *x, q: 2}",
  "? a\n: b",
  "? [a]\n: b",
  "a: |\n  yes\n",
  "a: >\n  yes\n  no\n",
  'a: "yes"',
  '{"a": 1.0, "b": [true, null, 1e2]}',
  "a:\n- yes\n- 'yes'\n",
].map((text) => ({ text }));

type Fields = Readonly<Record<string, unknown>>;

const manifest = (kind: string, apiVersion: string, metadata: unknown, rest: Fields): Case => ({
  kind,
  text: stringify({ apiVersion, kind, metadata, ...rest }),
});

const metadatas: readonly unknown[] = [
  { name: "a" },
  { name: "a.b" },
  { name: "A" },
  { name: "a_b" },
  { name: "-a" },
  { name: "a".repeat(64) },
  { name: "a".repeat(254) },
  { name: "" },
  { name: 1 },
  { generateName: "a-" },
  {},
  { name: "a", namespace: "A" },
  { name: "a", namespace: "a.b" },
  { name: "a", namespace: "" },
  { name: "a", namespace: "b" },
  { name: "a", labels: { a: "b" } },
  { name: "a", labels: { a: true } },
  { name: "a", labels: { a: 1 } },
  { name: "a", labels: { "a b": "c" } },
  { name: "a", labels: { "a/b/c": "c" } },
  { name: "a", labels: { "/b": "c" } },
  { name: "a", labels: { "example.com/": "c" } },
  { name: "a", labels: { "Example.com/a": "c" } },
  { name: "a", labels: { a: "b c" } },
  { name: "a", labels: { a: "" } },
  { name: "a", labels: { a: "x".repeat(64) } },
  { name: "a", labels: ["a"] },
  { name: "a", labels: null },
  { name: "a", annotations: { "Example.com/a": "any thing\n" } },
  { name: "a", annotations: { "a b": "c" } },
  { name: "a", annotations: { a: 1 } },
  { name: "a", annotations: { a: "x".repeat(256 * 1024) } },
  { name: "a", creationTimestamp: null },
  { name: "a", creationTimestamp: "2024-01-01T00:00:00Z" },
  { name: "a", creationTimestamp: "yesterday" },
  { name: "a", generation: 1, uid: "x", resourceVersion: "1" },
  { name: "a", generation: "1" },
  { name: "a", finalizers: "x" },
];

const serviceSpecs: readonly Fields[] = [
  { ports: [{ port: 80 }] },
  {},
  { ports: [] },
  { clusterIP: "None" },
  { clusterIP: "None", ports: [{ port: 80 }] },
  { clusterIP: "here", ports: [{ port: 80 }] },
  { clusterIP: "10.0.0.1", clusterIPs: ["10.0.0.2"], ports: [{ port: 80 }] },
  { clusterIP: "10.0.0.1", clusterIPs: ["10.0.0.1", "10.0.0.2"], ports: [{ port: 80 }] },
  ...[0, -1, 65_535, 65_536, 1.5, "80"].map((port) => ({ ports: [{ port }] })),
  ...[0, 65_536, "http", "Http", "a--b", "-a", "a".repeat(16), "80", ""].map((targetPort) => ({
    ports: [{ port: 80, targetPort }],
  })),
  ...["TCP", "UDP", "SCTP", "HTTP", "tcp"].map((protocol) => ({ ports: [{ port: 80, protocol }] })),
  { ports: [{ port: 80 }, { port: 81 }] },
  {
    ports: [
      { port: 80, name: "a" },
      { port: 81, name: "a" },
    ],
  },
  {
    ports: [
      { port: 80, name: "a" },
      { port: 80, name: "b" },
    ],
  },
  {
    ports: [
      { port: 80, name: "a" },
      { port: 80, name: "b", protocol: "UDP" },
    ],
  },
  { ports: [{ port: 80, name: "A" }] },
  { ports: [{ port: 80, appProtocol: "kubernetes.io/h2c" }] },
  { ports: [{ port: 80, appProtocol: "a b" }] },
  { ports: [{ port: 80, nodePort: 30_000 }] },
  { type: "NodePort", ports: [{ port: 80, nodePort: 30_000 }] },
  { type: "NodePort", clusterIP: "None", ports: [{ port: 80 }] },
  { type: "LoadBalancer", ports: [{ port: 80 }] },
  { type: "Other", ports: [{ port: 80 }] },
  { type: "ExternalName", externalName: "example.com" },
  { type: "ExternalName", externalName: "example.com." },
  { type: "ExternalName", externalName: "a_b" },
  { type: "ExternalName", externalName: "10.0.0.1" },
  { type: "ExternalName" },
  { type: "ExternalName", externalName: "a", clusterIPs: ["10.0.0.1"] },
  { ports: [{ port: 80 }], selector: { app: "a b" } },
  { ports: [{ port: 80 }], selector: { app: "a" } },
  { ports: [{ port: 80 }], sessionAffinity: "Sticky" },
  { ports: [{ port: 80 }], externalIPs: ["10.0.0.1"] },
  { ports: [{ port: 80 }], externalIPs: ["host"] },
  { ports: [{ port: 80 }], externalIPs: ["10.0.0.01"] },
  { ports: [{ port: 80 }], externalIPs: ["0.0.0.0"] },
  { ports: [{ port: 80 }], internalTrafficPolicy: "Other" },
  { ports: [{ port: 80 }], unknown: 1 },
  { ports: { port: 80 } },
];

const slice = (rest: Fields): Fields => ({ addressType: "IPv4", ports: [], endpoints: [], ...rest });

const slices: readonly Fields[] = [
  slice({}),
  slice({ addressType: undefined }),
  slice({ addressType: "Other" }),
  slice({ addressType: "" }),
  slice({ endpoints: [{}] }),
  slice({ endpoints: [{ addresses: [] }] }),
  ...["10.0.0.1", "::1", "fd00::1", "host", "300.0.0.1", "0.0.0.0", "169.254.1.1", "224.0.0.1", "10.0.0.01", ""].map(
    (address) => slice({ endpoints: [{ addresses: [address] }] }),
  ),
  ...[
    "fd00::1",
    "10.0.0.1",
    "::",
    "fe80::1",
    "ff02::1",
    "FD00::1",
    "fd00:0:0::1",
    "::ffff:10.0.0.1",
    "fd00::1%eth0",
    "x",
  ].map((address) => slice({ addressType: "IPv6", endpoints: [{ addresses: [address] }] })),
  ...["example.com", "example.com.", "host", "a_b.example.com", ""].map((address) =>
    slice({ addressType: "FQDN", endpoints: [{ addresses: [address] }] }),
  ),
  ...[
    { port: 80 },
    { port: 80, name: "a" },
    { port: 80, name: "A" },
    { port: 80, protocol: "HTTP" },
    { port: 80, appProtocol: "a b" },
    {},
  ].map((port) => slice({ ports: [port] })),
  slice({ ports: [{ port: 80 }, { port: 81 }] }),
  slice({
    ports: [
      { port: 80, name: "a" },
      { port: 81, name: "a" },
    ],
  }),
  slice({
    ports: [
      { port: 80, name: "a" },
      { port: 81, name: "b" },
    ],
  }),
  slice({ ports: null, endpoints: null }),
  slice({ endpoints: [{ addresses: ["10.0.0.1"], hostname: "A" }] }),
  slice({ endpoints: [{ addresses: ["10.0.0.1"], nodeName: "A" }] }),
  slice({ endpoints: [{ addresses: ["10.0.0.1"], conditions: { ready: "yes" } }] }),
  slice({ endpoints: [{ addresses: ["10.0.0.1"], other: 1 }] }),
];

const base64s = [
  "aGVsbG8=",
  "aGVs\nbG8=",
  "aGVsbG8=\n",
  "\naGVs\r\nbG8=\n",
  "",
  "\n",
  " ",
  "aGVsbG8= ",
  " aGVsbG8=",
  "aGVs bG8=",
  "aGVsbG8",
  "aGVsbG8==",
  "aGVsbG9=",
  "aGVsb-8=",
  "aG=V",
  "=",
  "====",
  "a",
  "aGVsbA==",
  "aGVsbA=",
  "aGVsbA==\t",
  "äöü=",
  "-----BEGIN X-----",
];

const secrets: readonly Fields[] = [
  ...base64s.map((text) => ({ data: { a: text } })),
  { data: { a: null } },
  { data: { a: 1 } },
  { data: null },
  { data: { "a b": "" } },
  { data: { "..": "" } },
  { data: { "..a": "" } },
  { data: { "a/b": "" } },
  { stringData: { a: "x" } },
  { stringData: { a: "x" }, data: { a: "eQ==", b: "eg==" } },
  { stringData: { a: 1 } },
  { stringData: { a: true } },
  { stringData: { a: null } },
  { stringData: null },
  { type: "kubernetes.io/tls" },
  { type: "kubernetes.io/tls", data: { "tls.crt": "", "tls.key": "" } },
  { type: "kubernetes.io/tls", data: { "tls.crt": "" } },
  { type: "kubernetes.io/tls", stringData: { "tls.crt": "a", "tls.key": "b" } },
  { type: "kubernetes.io/basic-auth" },
  { type: "kubernetes.io/basic-auth", data: { username: "" } },
  { type: "kubernetes.io/ssh-auth", data: { "ssh-privatekey": "" } },
  { type: "kubernetes.io/service-account-token" },
  { type: "Other" },
  { immutable: "yes" },
];

const configMaps: readonly Fields[] = [
  ...base64s.map((text) => ({ binaryData: { a: text } })),
  { data: { a: "x" } },
  { data: { a: 1 } },
  { data: { a: true } },
  { data: { a: null } },
  { data: { a: "x" }, binaryData: { a: "eA==" } },
  { data: { "a b": "x" } },
];

const authority = makeCertificate({ dnsNames: ["a"], authority: true });
const leaf = makeCertificate({ dnsNames: ["b"] });

/** Texts of ClusterTrustBundles. */
const trustBundles: readonly string[] = [
  authority.certificate,
  `# a\n${authority.certificate}\nb\n`,
  "",
  "x",
  leaf.certificate,
  authority.certificate + authority.certificate,
  authority.certificate + authority.privateKey,
  authority.certificate.replaceAll("CERTIFICATE", "TRUSTED CERTIFICATE"),
  authority.certificate.replace("-----\n", "-----\na: b\n\n"),
  "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
];
const bundleNames: readonly (readonly [name: string, signerName?: string])[] = [
  ["a", ""],
  ["a:b"],
  ["A"],
  ["a.b:c:d", "a.b/c"],
  ["a.b:c:", "a.b/c"],
  ["a.b:c:D", "a.b/c"],
  ["a.b:d:e", "a.b/c"],
  ["a:b:c", "a/b"],
  ["a", "a"],
  ["a:b:c:d", "a/b/c"],
  ["A.b:c:d", "A.b/c"],
  ["a.b:C:d", "a.b/C"],
];

/** Manifests of kinds that Kubernetes has by itself. */
export const manifests: readonly Case[] = [
  ...metadatas.flatMap((metadata) => [
    manifest("Service", "v1", metadata, { spec: { ports: [{ port: 80 }] } }),
    manifest("Namespace", "v1", metadata, {}),
    manifest("ConfigMap", "v1", metadata, {}),
    manifest("GatewayClass", "gateway.networking.k8s.io/v1", metadata, { spec: { controllerName: "a.b/c" } }),
    manifest("HTTPRoute", "gateway.networking.k8s.io/v1", metadata, { spec: {} }),
  ]),
  ...serviceSpecs.map((spec) => manifest("Service", "v1", { name: "a" }, { spec })),
  ...slices.map((rest) => manifest("EndpointSlice", "discovery.k8s.io/v1", { name: "a" }, rest)),
  ...secrets.map((rest) => manifest("Secret", "v1", { name: "a" }, rest)),
  ...configMaps.map((rest) => manifest("ConfigMap", "v1", { name: "a" }, rest)),
  ...trustBundles.map((trustBundle) =>
    manifest("ClusterTrustBundle", "certificates.k8s.io/v1", { name: "a" }, { spec: { trustBundle } }),
  ),
  ...bundleNames.map(([name, signerName]) =>
    manifest(
      "ClusterTrustBundle",
      "certificates.k8s.io/v1",
      { name },
      { spec: { ...(signerName !== undefined && { signerName }), trustBundle: authority.certificate } },
    ),
  ),
];
