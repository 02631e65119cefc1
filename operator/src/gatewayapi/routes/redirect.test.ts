import assert from "node:assert/strict";
import type { HTTPRequestRedirectFilter } from "@gatewright/crd-types/gateway/v1";
import type { RedirectAction, Route } from "../../ir/index.ts";
import { type ListenerFacts, settleRedirect, translateRedirect } from "./redirect.ts";
import { createRuleReport } from "./report.ts";

function translate(stated: unknown) {
  const report = createRuleReport(0);
  // What comes from a file may hold values that the type does not know.
  const filter: HTTPRequestRedirectFilter = JSON.parse(JSON.stringify(stated));
  const translated = translateRedirect(filter, [{}], "f", report);
  return { translated, problems: report.invalid.map(({ message }) => message) };
}

describe("translateRedirect()", () => {
  it("answers 302 unless told otherwise", () =>
    assert.deepEqual(translate({}), { translated: { kind: "redirect", status: 302 }, problems: [] }));

  it("takes everything at once", () =>
    assert.deepEqual(
      translate({
        scheme: "https",
        hostname: "example.org",
        port: 8443,
        statusCode: 308,
        path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/new/" },
      }),
      {
        translated: {
          kind: "redirect",
          scheme: "https",
          host: "example.org",
          port: 8443,
          path: { kind: "prefix", value: "/new" },
          status: 308,
        },
        problems: [],
      },
    ));

  for (const statusCode of [301, 302, 303, 307, 308] as const)
    it(`answers ${statusCode}`, () => assert.equal(translate({ statusCode }).translated.status, statusCode));

  for (const [filter, message] of [
    [{ statusCode: 304 }, /statusCode: 304 is not supported/],
    [{ scheme: "ftp" }, /scheme: "ftp" is not supported/],
    [{ hostname: "*.example.org" }, /hostname: "\*\.example\.org" is not a hostname/],
    [{ hostname: "a b" }, /hostname/],
    [{ port: 0 }, /port: 0 is not a port/],
    [{ port: 65_536 }, /port/],
    [{ path: { type: "ReplaceFullPath", replaceFullPath: "x" } }, /path\.replaceFullPath/],
  ] as const)
    it(`refuses ${JSON.stringify(filter)}`, () => {
      const { problems } = translate(filter);
      assert.equal(problems.length, 1);
      assert.match(problems[0] ?? "", message);
    });
});

describe("settleRedirect()", () => {
  const settle = (action: Omit<RedirectAction, "kind" | "status">, listener: ListenerFacts, host = "a.example.com") => {
    const route: Route = {
      name: "r",
      origin: { kind: "HTTPRoute", namespace: "n", name: "r" },
      match: { path: { kind: "prefix", value: "/" }, headers: [], queryParams: [] },
      action: { kind: "redirect", status: 302, ...action },
      extensions: [],
    };
    return settleRedirect(route, listener, host).action;
  };
  const redirect = (rest: Omit<RedirectAction, "kind" | "status">) => ({ kind: "redirect", status: 302, ...rest });
  const [http80, http8080, https443, https8443] = [
    { port: 80, scheme: "http" },
    { port: 8080, scheme: "http" },
    { port: 443, scheme: "https" },
    { port: 8443, scheme: "https" },
  ] as const;
  const host = "example.org";

  // The table of the API's conformance tests, and what it leaves out.
  const cases: readonly (readonly [
    Omit<RedirectAction, "kind" | "status">,
    ListenerFacts,
    Omit<RedirectAction, "kind" | "status">,
  ])[] = [
    [{ host }, http80, { host }],
    [{ host, port: 80 }, http80, { host }],
    [{ host, port: 8080 }, http80, { host, port: 8080 }],
    [{ host, scheme: "https" }, http80, { host, scheme: "https" }],
    [{ host, scheme: "https", port: 443 }, http80, { host, scheme: "https" }],
    [{ host, scheme: "https", port: 8443 }, http80, { host, scheme: "https", port: 8443 }],
    [{ host }, http8080, { host, port: 8080 }],
    [{ host, port: 80 }, http8080, { host }],
    [{ host, scheme: "https" }, http8080, { host, scheme: "https" }],
    [{ host }, https443, { host }],
    [{ host, port: 443 }, https443, { host }],
    [{ host, port: 8443 }, https443, { host, port: 8443 }],
    [{ host, scheme: "http" }, https443, { host, scheme: "http" }],
    [{ host, scheme: "http", port: 80 }, https443, { host, scheme: "http" }],
    [{ host, scheme: "http", port: 8080 }, https443, { host, scheme: "http", port: 8080 }],
    [{ host }, https8443, { host, port: 8443 }],
    [{}, http80, {}],
    [{}, http8080, { port: 8080 }],
    [{ scheme: "https" }, http80, { scheme: "https" }],
    // The request's Host has the port 8080, which must not stay.
    [{ scheme: "https" }, http8080, { scheme: "https", host: "a.example.com" }],
    [{ port: 80 }, http8080, { host: "a.example.com" }],
  ];
  for (const [stated, listener, want] of cases)
    it(`makes ${JSON.stringify(want)} of ${JSON.stringify(stated)} at ${listener.scheme} ${listener.port}`, () =>
      assert.deepEqual(settle(stated, listener), redirect(want)));

  it("names a default port where that is the only way to be rid of the request's", () =>
    assert.deepEqual(settle({ scheme: "https" }, http8080, "*.example.com"), redirect({ scheme: "https", port: 443 })));

  it("leaves other routes as they are", () => {
    const route: Route = {
      name: "r",
      origin: { kind: "HTTPRoute", namespace: "n", name: "r" },
      match: { path: { kind: "prefix", value: "/" }, headers: [], queryParams: [] },
      action: { kind: "respond", status: 500 },
      extensions: [],
    };
    assert.equal(settleRedirect(route, http8080, "*"), route);
  });
});
