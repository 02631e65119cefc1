import assert from "node:assert/strict";
import type { Refusal } from "../gatewayapi/index.ts";
import { requestFilterName, type Route, type VirtualHost } from "../ir/index.ts";
import { createGraph, silentLogger } from "../lib/index.ts";
import type { Verdict } from "./publisher.ts";
import { createQuarantine } from "./quarantine.ts";

const routeOf = (kind: string, name: string, ...filters: string[]): Route => ({
  name: `team-a/${name}/0/0`,
  origin: { kind, namespace: "team-a", name },
  match: { path: { kind: "prefix", value: "/" }, headers: [], queryParams: [] },
  action: { kind: "respond", status: 200 },
  extensions: filters.map((filter) => ({
    filter: "envoy.filters.http.header_to_metadata",
    config: { typeUrl: "", value: new Uint8Array() },
    origin: { kind: "HTTPFilter", namespace: "team-a", name: filter },
  })),
});

const route = (name: string, ...filters: string[]): Route => routeOf("HTTPRoute", name, ...filters);

/** A table of one resource whose content is what the quarantine leaves, served to an Envoy that refuses some objects. */
function fixture(routes: readonly Route[], isBad: (suspect: string, content: string) => boolean) {
  const refusals = createGraph().source<Refusal>("quarantine");
  const contents = new Map<string, string>();
  for (const { origin, extensions } of routes)
    for (const { kind, namespace, name } of [origin, ...extensions.map((extension) => extension.origin)])
      contents.set(`${kind} ${namespace}/${name}`, "1");
  const host: VirtualHost = { proxy: "team-a/gw", routeTable: "team-a/gw|80", host: "*", routes };
  const held = () =>
    new Set([...contents.keys()].filter((suspect) => refusals.get(suspect)?.content === contents.get(suspect)));
  const version = () => JSON.stringify([...contents].filter(([suspect]) => !held().has(suspect)));
  const quarantine = createQuarantine(
    refusals,
    {
      virtualHostsIn: (_, resource) => (resource.version === version() ? [host] : []),
      publishedVersion: version,
      contentOf: (suspect) => contents.get(suspect),
    },
    silentLogger,
  );
  let known: string | undefined;
  let refused = 0;
  /** Envoy gets what is new to it and answers; again until nothing moves. */
  function converge(): void {
    for (let again = true; again; ) {
      again = quarantine.published();
      const sent = version();
      if (sent === known) continue;
      const kind = [...contents].some(([suspect, content]) => !held().has(suspect) && isBad(suspect, content))
        ? "refused"
        : "accepted";
      if (kind === "accepted") known = sent;
      else refused++;
      const verdict: Verdict = {
        kind,
        proxy: "team-a/gw",
        type: "route",
        resources: [{ name: "team-a/gw|80", version: sent }],
        message: kind === "refused" ? "no" : "",
      };
      again = quarantine.judge(verdict) || again;
    }
  }
  return {
    quarantine,
    contents,
    held,
    converge,
    refusals: () => refused,
    message: (suspect: string) => refusals.get(suspect)?.message,
  };
}

describe("createQuarantine()", () => {
  it("holds the HTTPFilter whose configuration for listeners is refused, as long as it is that", () => {
    const refusals = createGraph().source<Refusal>("quarantine");
    let content = "1";
    const quarantine = createQuarantine(
      refusals,
      { virtualHostsIn: () => [], publishedVersion: () => "v1", contentOf: () => content },
      silentLogger,
    );
    const verdict = (kind: Verdict["kind"], name: string, of: string): Verdict => ({
      kind,
      proxy: "team-a/gw",
      type: "extension",
      resources: [{ name, version: of }],
      message: kind === "refused" ? "no" : "",
    });
    const filter = {
      filter: "envoy.filters.http.rbac",
      origin: { kind: "HTTPFilter", namespace: "team-a", name: "f" },
    };
    const name = requestFilterName(filter);
    const key = "HTTPFilter team-a/f";
    assert.equal(quarantine.judge(verdict("accepted", name, "v1")), false);
    assert.equal(quarantine.judge(verdict("refused", "envoy.filters.http.rbac", "v1")), false, "not one of a user's");
    assert.equal(quarantine.judge(verdict("refused", name, "v0")), false, "what was before");
    assert.equal(refusals.get(key), undefined);
    assert.equal(quarantine.judge(verdict("refused", name, "v1")), true);
    assert.deepEqual(refusals.get(key), { message: "no", content: "1" });
    assert.equal(quarantine.judge(verdict("refused", name, "v1")), false, "once");
    content = "2";
    assert.equal(quarantine.forget([key]), true);
    assert.equal(refusals.get(key), undefined);
  });

  it("holds the one HTTPFilter that nobody has accepted yet, with Envoy's words, after one refusal", () => {
    const it = fixture(
      [route("good", "fine"), route("half", "bad")],
      (suspect, content) => suspect === "HTTPFilter team-a/bad" && content === "2",
    );
    it.converge();
    assert.equal(it.refusals(), 0);
    it.contents.set("HTTPFilter team-a/bad", "2");
    it.converge();
    assert.deepEqual([...it.held()], ["HTTPFilter team-a/bad"]);
    assert.equal(it.message("HTTPFilter team-a/bad"), "no");
    assert.equal(it.refusals(), 1);
  });

  it("finds the culprits among many that come at once", () => {
    const names = Array.from({ length: 20 }, (_, index) => `f${index}`);
    const it = fixture(
      names.map((name) => route(`r-${name}`, name)),
      (suspect) => suspect.endsWith("/f7") || suspect.endsWith("/f13"),
    );
    it.converge();
    assert.deepEqual(it.held(), new Set(["HTTPFilter team-a/f7", "HTTPFilter team-a/f13"]));
    assert.ok(it.refusals() < 20, `${it.refusals()} refusals`);
  });

  it("turns to the routes where no filter is under suspicion", () => {
    const it = fixture([route("good"), route("fat")], (suspect) => suspect === "HTTPRoute team-a/fat");
    it.converge();
    assert.deepEqual([...it.held()], ["HTTPRoute team-a/fat"]);
  });

  it("holds a route of whatever kind", () => {
    const it = fixture([route("good"), routeOf("GRPCRoute", "fat")], (suspect) => suspect === "GRPCRoute team-a/fat");
    it.converge();
    assert.deepEqual([...it.held()], ["GRPCRoute team-a/fat"]);
    it.contents.set("GRPCRoute team-a/fat", "2");
    assert.equal(it.quarantine.forget(["GRPCRoute team-a/fat"]), true);
    assert.equal(it.held().size, 0);
  });

  it("forgets a refusal when the object changes, and only then", () => {
    const it = fixture(
      [route("half", "bad")],
      (suspect, content) => suspect === "HTTPFilter team-a/bad" && content === "1",
    );
    it.converge();
    assert.equal(it.held().size, 1);
    assert.equal(it.quarantine.forget(["HTTPFilter team-a/bad"]), false);
    assert.equal(it.held().size, 1);
    it.contents.set("HTTPFilter team-a/bad", "2");
    assert.equal(it.quarantine.forget(["HTTPFilter team-a/bad"]), true);
    it.converge();
    assert.equal(it.held().size, 0);
    assert.equal(it.refusals(), 1);
  });

  it("does not suspect what an Envoy has accepted before", () => {
    const it = fixture([route("r", "old", "new")], (suspect, content) => suspect.endsWith("/new") && content === "2");
    it.converge();
    it.contents.set("HTTPFilter team-a/new", "2");
    it.converge();
    assert.deepEqual([...it.held()], ["HTTPFilter team-a/new"]);
    assert.equal(it.refusals(), 1);
  });
});
