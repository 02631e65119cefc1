import assert from "node:assert/strict";
import type { HTTPRouteRule } from "@gatewright/crd-types/gateway/v1";
import {
  createRouteFixture,
  gatewayKey,
  httpRoute,
  httpService,
  webTable,
} from "../../../../test/support/route-side.ts";
import { routeTableKey, virtualHostKey } from "../../ir/index.ts";

const to = (path: string): HTTPRouteRule => ({
  matches: [{ path: { value: path } }],
  backendRefs: [{ name: "app", port: 80 }],
});

const redirect: HTTPRouteRule = { filters: [{ type: "RequestRedirect", requestRedirect: { scheme: "https" } }] };

function fixture() {
  const it = createRouteFixture();
  it.putService(httpService("app"));
  return {
    ...it,
    names: (host: string, routeTable?: string) => it.routesAt(host, routeTable)?.map(({ name }) => name),
  };
}

describe("virtual hosts", () => {
  it("gather the routes of a host from all objects, in order of precedence", () => {
    const { put, names } = fixture();
    put(httpRoute("a", [to("/"), to("/a")], { hostnames: ["x.example.com", "y.example.com"] }));
    put(httpRoute("b", [to("/a/b"), to("/")], { hostnames: ["x.example.com"] }));
    assert.deepEqual(names("x.example.com"), ["team-a/b/0/0", "team-a/a/1/0", "team-a/a/0/0", "team-a/b/1/0"]);
    assert.deepEqual(names("y.example.com"), ["team-a/a/1/0", "team-a/a/0/0"]);
    assert.equal(names("z.example.com"), undefined);
  });

  it("put the route first whose hostname is stated more exactly", () => {
    const { put, attach, names } = fixture();
    put(httpRoute("a", [to("/long/path")]));
    put(httpRoute("b", [to("/")]));
    put(httpRoute("c", [to("/long")]));
    const hosts = ["a.example.com"];
    attach("team-a/a", { hosts, statedHosts: ["*"] });
    attach("team-a/b", { hosts, statedHosts: ["*"] }, { hosts, statedHosts: ["a.example.com"] });
    attach("team-a/c", { hosts, statedHosts: ["*.example.com"] });
    assert.deepEqual(names("a.example.com"), ["team-a/b/0/0", "team-a/c/0/0", "team-a/a/0/0"]);
  });

  it("exist for hosts of listeners without routes, and answer 404", () => {
    const { reservedHosts, routesAt, graph, virtualHosts } = fixture();
    const key = virtualHostKey(webTable, "a.example.com");
    reservedHosts.set(key, new Set(["l0"]));
    assert.deepEqual(routesAt("a.example.com"), []);
    reservedHosts.set(key, undefined);
    graph.settle();
    assert.equal(virtualHosts.size(), 0);
  });

  it("answer 421 for hosts of other listeners", () => {
    const { misdirectedHosts, routesAt } = fixture();
    misdirectedHosts.set(virtualHostKey(webTable, "a.example.com"), new Set(["other"]));
    const [route] = routesAt("a.example.com") ?? [];
    assert.deepEqual(route?.action, { kind: "respond", status: 421 });
    assert.deepEqual(route.origin, { kind: "Gateway", namespace: "team-a", name: "gw" });
  });

  it("are there only for route tables that are served", () => {
    const { put, names, serve } = fixture();
    put(httpRoute("a", [to("/")]));
    serve();
    assert.equal(names("*"), undefined);
    serve(webTable);
    assert.deepEqual(names("*"), ["team-a/a/0/0"]);
  });

  it("settle redirects by the listener, each for itself", () => {
    const [plain, secure] = [routeTableKey(gatewayKey, 8080), routeTableKey(gatewayKey, 443, "tls")];
    const { put, serve, attach, routesAt } = fixture();
    serve(plain, secure);
    put(httpRoute("a", [redirect]));
    attach("team-a/a", { routeTable: plain }, { routeTable: secure });
    assert.deepEqual(routesAt("*", plain)?.[0]?.action, { kind: "redirect", scheme: "https", port: 443, status: 302 });
    assert.deepEqual(routesAt("*", secure)?.[0]?.action, { kind: "redirect", scheme: "https", status: 302 });
  });

  it("lose the routes of an object that went", () => {
    const { put, names, store, attachments } = fixture();
    put(httpRoute("a", [to("/a")]));
    put(httpRoute("b", [to("/b")]));
    assert.equal(names("*")?.length, 2);
    store.objects.HTTPRoute.set("team-a/a", undefined);
    attachments.set("team-a/a", undefined);
    assert.deepEqual(names("*"), ["team-a/b/0/0"]);
  });
});
