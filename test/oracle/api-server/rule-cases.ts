import { schemas } from "@gatewright/crd-types/schemas";
import type { Schema } from "@gatewright/crd-types/schema";
import fc from "fast-check";
import { storedKinds } from "../../../operator/src/store/index.ts";
import { validValues } from "../structural-schema/values.ts";
import type { Case } from "./corpus.ts";

type Fields = Readonly<Record<string, unknown>>;
const gateway = "gateway.networking.k8s.io/v1";

const object = (kind: string, apiVersion: string, spec: Fields): Case => ({
  kind,
  text: JSON.stringify({ apiVersion, kind, metadata: { name: "a", namespace: "b" }, spec }),
});

const route = (spec: Fields) => object("HTTPRoute", gateway, spec);
const routeKinds = ["HTTPRoute", "GRPCRoute", "TCPRoute", "UDPRoute", "TLSRoute"];
/** A route of each kind, with what all of them must have. */
const routes = (spec: Fields): readonly Case[] =>
  routeKinds.map((kind) => object(kind, gateway, { ...(kind === "TLSRoute" && { hostnames: ["a.b"] }), ...spec }));
const parentRefs = (list: readonly Fields[]) => routes({ parentRefs: list, rules: [{ backendRefs: [backendRef] }] });
const rule = (one: Fields) => route({ rules: [one] });
const filters = (...list: readonly Fields[]) => rule({ filters: list });
const path = (type: string, value: string) => rule({ matches: [{ path: { type, value } }] });
/** The kinds that have listeners have the same rules for them. */
const listeners = (...list: readonly Fields[]): readonly Case[] => {
  const numbered = list.map((one, index) => ({ name: `l${index}`, port: 80 + index, protocol: "HTTP", ...one }));
  return [
    object("Gateway", gateway, { gatewayClassName: "x", listeners: numbered }),
    object("ListenerSet", gateway, { parentRef: { name: "x" }, listeners: numbered }),
  ];
};
const matches = (count: number) => Array.from({ length: count }, (_, index) => ({ path: { value: `/${index}` } }));
const header = { requestHeaderModifier: { set: [{ name: "a", value: "b" }] } };

const response = { type: "ResponseHeaderModifier", responseHeaderModifier: { set: [{ name: "a", value: "b" }] } };
const backendRef = { name: "a", port: 80 };
const xBackend = { group: "gateway.networking.x-k8s.io", kind: "XBackend", name: "a", port: 80 };
const bundle = { group: "certificates.k8s.io", kind: "ClusterTrustBundle", name: "a", namespace: "b" };

/** Each rule of the routes, Gateways and policies that people meet, kept and broken. */
export const writtenRuleCases: readonly Case[] = [
  ...[
    "/",
    "/a",
    "/a//b",
    "/a/./b",
    "/a/../b",
    "/a%2fb",
    "/a%2Fb",
    "/a#b",
    "/a/.",
    "/a/..",
    "a",
    "/ä",
    "/a b",
    "/%zz",
    "/a%20b",
  ].flatMap((value) => [path("PathPrefix", value), path("Exact", value), path("RegularExpression", value)]),
  route({ rules: [{ matches: matches(64) }, { matches: matches(64) }] }),
  route({ rules: [{ matches: matches(64) }, { matches: matches(64) }, {}] }),
  route({ rules: [{ name: "a" }, { name: "a" }] }),
  route({ rules: [{ name: "a" }, { name: "b" }, {}, {}] }),
  ...parentRefs([{ name: "a" }, { name: "a" }]),
  ...parentRefs([{ name: "a" }, { name: "a", namespace: "" }]),
  ...parentRefs([{ name: "a" }, { name: "a", namespace: "b" }]),
  ...parentRefs([
    { name: "a", sectionName: "x" },
    { name: "a", sectionName: "x" },
  ]),
  ...parentRefs([
    { name: "a", sectionName: "x" },
    { name: "a", sectionName: "y" },
  ]),
  ...parentRefs([
    { name: "a", sectionName: "x" },
    { name: "a", port: 80 },
  ]),
  ...parentRefs([
    { name: "a", port: 80 },
    { name: "a", port: 81 },
  ]),
  ...parentRefs([{ name: "a" }, { name: "a", port: 81 }]),
  rule({ backendRefs: [{ name: "a" }] }),
  rule({ backendRefs: [{ name: "a", port: 80 }] }),
  rule({ backendRefs: [{ name: "a", kind: "Other", group: "x.y" }] }),
  filters({ type: "RequestHeaderModifier" }),
  filters({ type: "RequestHeaderModifier", ...header }),
  filters({ type: "RequestHeaderModifier", ...header }, { type: "RequestHeaderModifier", ...header }),
  filters({ type: "URLRewrite", ...header }),
  filters({ type: "URLRewrite", urlRewrite: { hostname: "a" } }, { type: "RequestRedirect", requestRedirect: {} }),
  filters({ type: "URLRewrite", urlRewrite: { path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/" } } }),
  filters({ type: "URLRewrite", urlRewrite: { path: { type: "ReplacePrefixMatch", replaceFullPath: "/" } } }),
  filters({ type: "URLRewrite", urlRewrite: { path: { type: "ReplaceFullPath", replaceFullPath: "/" } } }),
  filters({
    type: "RequestMirror",
    requestMirror: { backendRef: { name: "a", port: 80 }, percent: 1, fraction: { numerator: 1 } },
  }),
  filters({
    type: "RequestMirror",
    requestMirror: { backendRef: { name: "a", port: 80 }, fraction: { numerator: 101 } },
  }),
  filters({
    type: "RequestMirror",
    requestMirror: { backendRef: { name: "a", port: 80 }, fraction: { numerator: 2, denominator: 3 } },
  }),
  filters({ type: "ExtensionRef", extensionRef: { group: "a.b", kind: "C", name: "d" } }),
  filters({ type: "ExtensionRef" }),
  filters({
    type: "CORS",
    cors: { allowHeaders: ["*", "a"], allowMethods: ["*", "GET"], allowOrigins: ["*", "https://a"] },
  }),
  filters({ type: "CORS", cors: { allowHeaders: ["a"], allowMethods: ["GET"], allowOrigins: ["https://a"] } }),
  rule({
    matches: matches(2),
    filters: [{ type: "URLRewrite", urlRewrite: { path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/" } } }],
  }),
  rule({
    matches: [{ path: { type: "Exact", value: "/a" } }],
    filters: [
      { type: "RequestRedirect", requestRedirect: { path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/" } } },
    ],
  }),
  rule({ filters: [{ type: "RequestRedirect", requestRedirect: {} }], backendRefs: [{ name: "a", port: 80 }] }),
  rule({ timeouts: { request: "1s", backendRequest: "2s" } }),
  rule({ timeouts: { request: "2s", backendRequest: "1s" } }),
  rule({ timeouts: { request: "0s", backendRequest: "2s" } }),
  rule({ sessionPersistence: { type: "Cookie", cookie: { lifetimeType: "Permanent" } } }),
  rule({ sessionPersistence: { type: "Cookie", cookie: { lifetimeType: "Permanent" }, absoluteTimeout: "1h" } }),
  ...listeners({}, {}),
  ...listeners({ name: "a" }, { name: "a" }),
  ...listeners({ port: 80 }, { port: 80 }),
  ...listeners({ port: 80, hostname: "a" }, { port: 80, hostname: "b" }),
  ...listeners({ port: 80, hostname: "a" }, { port: 80 }),
  ...listeners({ protocol: "HTTPS" }),
  ...listeners({ protocol: "HTTPS", tls: {} }),
  ...listeners({ protocol: "HTTPS", tls: { certificateRefs: [{ name: "a" }] } }),
  ...listeners({ protocol: "HTTPS", tls: { mode: "Passthrough" } }),
  ...listeners({ protocol: "HTTPS", tls: { options: { a: "b" } } }),
  ...listeners({ protocol: "TLS" }),
  ...listeners({ protocol: "TLS", tls: { mode: "Passthrough" } }),
  ...listeners({ protocol: "HTTP", tls: { certificateRefs: [{ name: "a" }] } }),
  ...listeners({ protocol: "TCP", hostname: "a" }),
  ...listeners({ protocol: "UDP" }),
  ...[
    [{ value: "10.0.0.1" }, { value: "10.0.0.1" }],
    [{ value: "10.0.0.1" }, { value: "10.0.0.2" }],
    [{ type: "Hostname", value: "A_b" }],
    [
      { type: "Hostname", value: "a.b" },
      { type: "Hostname", value: "a.b" },
    ],
    [{}],
    [{ type: "a.b/c", value: "x" }],
  ].map((addresses) =>
    object("Gateway", gateway, {
      gatewayClassName: "x",
      addresses,
      listeners: [{ name: "a", port: 80, protocol: "HTTP" }],
    }),
  ),
  object("Gateway", gateway, {
    gatewayClassName: "x",
    infrastructure: { labels: { "a b": "c" } },
    listeners: [{ name: "a", port: 80, protocol: "HTTP" }],
  }),
  ...[
    { service: "a.b", method: "C" },
    { service: "a b" },
    { method: "a b" },
    { type: "RegularExpression", service: "a b" },
    { type: "Exact" },
  ].map((method) => object("GRPCRoute", gateway, { rules: [{ matches: [{ method }] }] })),
  object("GRPCRoute", gateway, {
    rules: Array.from({ length: 3 }, () => ({
      matches: Array.from({ length: 64 }, () => ({ method: { service: "a" } })),
    })),
  }),
  ...[["a.example.com"], ["*.example.com"], ["a.*.com"], ["10.0.0.1"], ["*"], ["*.a*.com"]].map((hostnames) =>
    object("TLSRoute", gateway, { hostnames, rules: [{ backendRefs: [{ name: "a", port: 80 }] }] }),
  ),
  ...[
    { hostname: "a", wellKnownCACertificates: "System" },
    { hostname: "a" },
    {
      hostname: "a",
      wellKnownCACertificates: "System",
      caCertificateRefs: [{ group: "", kind: "ConfigMap", name: "a" }],
    },
    {
      hostname: "a",
      wellKnownCACertificates: "System",
      subjectAltNames: [{ type: "Hostname" }, { type: "URI", hostname: "a" }],
    },
  ].map((validation) =>
    object("BackendTLSPolicy", gateway, { targetRefs: [{ group: "", kind: "Service", name: "a" }], validation }),
  ),
  object("BackendTLSPolicy", gateway, {
    targetRefs: [1, 2].map(() => ({ group: "", kind: "Service", name: "a" })),
    validation: { hostname: "a", wellKnownCACertificates: "System" },
  }),
  filters({ type: "ExtensionRef", cors: {}, extensionRef: { group: "a.b", kind: "C", name: "d" } }),
  filters({ type: "CORS" }),
  filters({ type: "CORS", cors: {} }, { type: "CORS", cors: {} }),
  filters({ type: "RequestHeaderModifier", ...header, requestRedirect: {} }),
  filters({ type: "RequestRedirect" }),
  filters({ type: "RequestRedirect", requestRedirect: {} }, { type: "RequestRedirect", requestRedirect: {} }),
  filters({ type: "RequestHeaderModifier", ...header, urlRewrite: { hostname: "a" } }),
  filters({ type: "URLRewrite", urlRewrite: { hostname: "a" } }, { type: "URLRewrite", urlRewrite: { hostname: "a" } }),
  filters(response, response),
  filters({ type: "ResponseHeaderModifier" }),
  filters({ type: "URLRewrite", urlRewrite: { path: { type: "ReplaceFullPath", replacePrefixMatch: "/" } } }),
  ...["requestRedirect", "urlRewrite"].map((field) =>
    rule({
      matches: [{ path: { type: "Exact", value: "/a" } }],
      backendRefs: [
        {
          name: "a",
          port: 80,
          filters: [
            {
              type: field === "urlRewrite" ? "URLRewrite" : "RequestRedirect",
              [field]: { path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/" } },
            },
          ],
        },
      ],
    }),
  ),
  ...routes({ rules: [{ backendRefs: [xBackend] }] }),
  object("GRPCRoute", gateway, { rules: [{ filters: [response, response] }] }),
  object("GRPCRoute", gateway, { rules: [{ filters: [{ type: "ResponseHeaderModifier" }] }] }),
  object("GRPCRoute", gateway, { rules: [{ name: "a" }, { name: "a" }] }),
  object("GRPCRoute", gateway, { rules: [{ name: "a" }, { name: "b" }, {}, {}] }),
  ...[
    undefined,
    { protocol: "GRPC", backendRef },
    { protocol: "GRPC", grpc: {}, backendRef },
    { protocol: "HTTP", backendRef },
    { protocol: "HTTP", http: {}, backendRef },
    { protocol: "HTTP", http: {}, grpc: {}, backendRef },
    { protocol: "GRPC", http: {}, grpc: {}, backendRef },
    { protocol: "GRPC", grpc: {}, backendRef: { name: "a" } },
    { protocol: "GRPC", grpc: {}, backendRef: xBackend },
  ].flatMap((externalAuth) => [
    filters({ type: "ExternalAuth", externalAuth }),
    ...listeners({ filters: { requests: [{ type: "ExternalAuth", externalAuth }] } }),
  ]),
  ...[{ "a b": "c" }, { [`${"a.".repeat(126)}bb/c`]: "d" }].flatMap((map) =>
    ["labels", "annotations"].map((field) =>
      object("Gateway", gateway, {
        gatewayClassName: "x",
        infrastructure: { [field]: map },
        listeners: [{ name: "a", port: 80, protocol: "HTTP" }],
      }),
    ),
  ),
  ...[
    { default: { validation: { caCertificateRefs: [bundle] } } },
    { default: {}, perPort: [1, 2].map(() => ({ port: 443, tls: {} })) },
  ].map((frontend) =>
    object("Gateway", gateway, {
      gatewayClassName: "x",
      tls: { frontend },
      listeners: [{ name: "a", port: 80, protocol: "HTTP" }],
    }),
  ),
  object("BackendTLSPolicy", gateway, {
    targetRefs: [{}, { sectionName: "x" }].map((more) => ({ group: "", kind: "Service", name: "a", ...more })),
    validation: { hostname: "a", wellKnownCACertificates: "System" },
  }),
  object("GatewayClass", gateway, { controllerName: "a.b/c" }),
  ...[
    { ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack" },
    { ipFamilies: ["IPv6", "IPv4"] },
    { ipFamilies: ["IPv4", "IPv6"], ipFamilyPolicy: "PreferDualStack" },
    { ipFamilies: ["IPv4", "IPv6"], ipFamilyPolicy: "RequireDualStack" },
    { ipFamilyPolicy: "SingleStack" },
    { ipFamilies: ["IPv4", "IPv6"], ipFamilyPolicy: "SingleStack" },
    { ipFamilies: ["IPv4", "IPv4"] },
    { ipFamilies: ["IPv6", "IPv6"], ipFamilyPolicy: "RequireDualStack" },
    { ipFamilies: ["IPv6", "IPv6"], ipFamilyPolicy: "SingleStack" },
    { ipFamilies: [] },
    { ipFamilies: ["IPv4", "IPv6", "IPv4"] },
    { ipFamilies: ["IPv5"] },
    { loadBalancerClass: "a.b/c" },
    { loadBalancerClass: "a.b/c", type: "LoadBalancer" },
    { loadBalancerClass: "a.b/c", type: "NodePort" },
    { externalTrafficPolicy: "Local" },
    { externalTrafficPolicy: "Local", type: "NodePort" },
    { externalTrafficPolicy: "Local", type: "ClusterIP" },
    { externalTrafficPolicy: "Local", type: "ClusterIP", loadBalancerClass: "a.b/c", ipFamilies: ["IPv4", "IPv4"] },
  ].map((service) => object("MeshConfig", "config.aether.io/v1", { proxy: { service } })),
];

const versions: Readonly<Record<string, string>> = {
  HTTPFilter: "config.aether.io/v1",
  MeshConfig: "config.aether.io/v1",
  ReferenceGrant: "gateway.networking.k8s.io/v1beta1",
};

/** Objects that their schemas take; the rules have not been asked. */
export function inventedRuleCases(seed: number, runs: number): readonly Case[] {
  const withRules = Object.entries(schemas).filter(([kind, schema]) => kind in storedKinds && hasRules(schema));
  return withRules.flatMap(([kind, schema]) =>
    fc.sample(validValues(schema), { seed, numRuns: runs }).map((value): Case => {
      const { status: _, ...rest } = JSON.parse(JSON.stringify(value));
      const named = { ...rest, apiVersion: versions[kind] ?? gateway, kind, metadata: { name: "a" } };
      return { kind, text: JSON.stringify(named) };
    }),
  );
}

const hasRules = (schema: Schema): boolean => JSON.stringify(schema).includes("x-kubernetes-validations");
