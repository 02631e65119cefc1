// What a proxy lives through: its control plane goes and comes back, and configuration that Envoy alone knows to be wrong.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EchoBackend, startEchoBackend } from "../support/echo-backend.ts";
import { freePort } from "../support/free-port.ts";
import { eventually, send, startLoad } from "../support/http-client.ts";
import { type ControlPlane, type DataPlane, startControlPlane, startDataPlane } from "./support/control-plane.ts";
import { gatewayClass, httpGateway, httpRoute, joinDocuments, service } from "./support/manifests.ts";
import { blindCheck, halfRuleFilter, poisonedRoute } from "./support/poison.ts";

const extension = (name: string) =>
  `{type: ExtensionRef, extensionRef: {group: config.aether.io, kind: HTTPFilter, name: ${name}}}`;

describe("control plane and Envoy", function () {
  this.timeout(120_000);
  let folder: string;
  let port: number;
  let backend: EchoBackend;
  let control: ControlPlane;
  let data: DataPlane;

  const base = () => joinDocuments(gatewayClass, httpGateway(port), service("one", [backend]));
  const good = (version: string) =>
    httpRoute(
      "good",
      "good.example.com",
      `  rules:
  - filters: [{type: ResponseHeaderModifier, responseHeaderModifier: {set: [{name: x-version, value: "${version}"}]}}]
    backendRefs: [{name: one, port: 80}]`,
    );
  const goodServes = (version: string) =>
    eventually(
      { port, host: "good.example.com" },
      "/",
      ({ status, headers }) => status === 200 && headers["x-version"] === version,
    );
  const poisonedSays = async (path: string) => (await send({ port, host: "poisoned.example.com" }, path)).status;
  const sent = () => Object.values(control.ads.counters.types).reduce((sum, { responses }) => sum + responses, 0);

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "gatewright-"));
    port = await freePort();
    backend = await startEchoBackend("one");
    data = await startDataPlane(folder);
  });

  afterEach(async () => {
    await data.kill();
    await control?.close();
    await backend.close();
    await rm(folder, { recursive: true });
  });

  it("keeps serving while the control plane is gone, gets nothing anew when it is back, and then takes edits", async () => {
    control = await startControlPlane(folder);
    await control.apply(joinDocuments(base(), good("1")));
    await goodServes("1");
    const load = startLoad({ port, host: "good.example.com" }, "/");
    await control.close();
    const before = load.answers();
    while (load.answers() < before + 50) await new Promise((resolve) => setTimeout(resolve, 10));
    control = await startControlPlane(folder);
    const connected = new Promise<void>((resolve) =>
      control.ads.onConnection(({ kind }) => kind === "connected" && resolve()),
    );
    await control.apply(joinDocuments(base(), good("1")));
    await connected;
    await control.apply(good("2"), 2);
    await goodServes("2");
    const { types } = control.ads.counters;
    assert.equal(
      types.cluster.resources + types.endpoint.resources + types.listener.resources,
      0,
      "what Envoy has is not sent again",
    );
    assert.equal(types.route.resources, 0, "nor is the table");
    assert.equal(types.virtualHost.resources, 1, "only the edited host is");
    assert.deepEqual([...(await load.stop()).keys()], ["200"]);
  });

  it("isolates what only Envoy knows to be wrong: status says so, the rest is served and changes, also for a fresh Envoy", async () => {
    control = await startControlPlane(folder, { checkExtension: blindCheck });
    await control.apply(joinDocuments(base(), good("1")));
    await goodServes("1");
    const before = sent();
    await control.apply(joinDocuments(halfRuleFilter, poisonedRoute));
    await eventually({ port, host: "poisoned.example.com" }, "/fine", ({ status }) => status === 200);
    assert.equal(await poisonedSays("/bad"), 500);
    const status = control.reconciler.statuses.get("HTTPFilter team-a/half-rule");
    assert.match(JSON.stringify(status?.status), /"type":"Accepted","status":"False"/);
    assert.match(JSON.stringify(status?.status), /x-tenant/, "Envoy's own words");
    assert.doesNotMatch(JSON.stringify(status?.status), /typed_config|goo\.gle/, "and not the whole resource");
    assert.equal(control.ads.counters.types.virtualHost.nacks, 1, "refused once, not sent again");
    assert.ok(sent() - before <= 8, `${sent() - before} responses for one bad object`);
    await control.apply(good("2"), 2);
    await goodServes("2");

    await data.kill();
    data = await startDataPlane(folder);
    await goodServes("2");
    assert.equal(await poisonedSays("/bad"), 500);
    assert.equal(await poisonedSays("/fine"), 200);

    await control.close();
    control = await startControlPlane(folder, { checkExtension: blindCheck });
    await control.apply(joinDocuments(base(), good("3"), halfRuleFilter, poisonedRoute), 3);
    await goodServes("3");
    await eventually({ port, host: "poisoned.example.com" }, "/bad", ({ status: code }) => code === 500);
    assert.equal(await poisonedSays("/fine"), 200);
  });

  it("heals as soon as the object is mended", async () => {
    control = await startControlPlane(folder, { checkExtension: blindCheck });
    await control.apply(joinDocuments(base(), good("1"), halfRuleFilter, poisonedRoute));
    await goodServes("1");
    await eventually({ port, host: "poisoned.example.com" }, "/bad", ({ status }) => status === 500);
    const mended = halfRuleFilter.replace(
      ", half: true}",
      ", requestRules: [{header: x-tenant, onHeaderPresent: {key: tenant}}]}",
    );
    await control.apply(mended, 2);
    await eventually({ port, host: "poisoned.example.com" }, "/bad", ({ status }) => status === 200, {
      withinMs: 5_000,
    });
    assert.match(
      JSON.stringify(control.reconciler.statuses.get("HTTPFilter team-a/half-rule")?.status),
      /"type":"Accepted","status":"True"/,
    );
  });

  it("finds the one bad object among many that a fresh Envoy gets at once", async () => {
    control = await startControlPlane(folder, { checkExtension: blindCheck });
    const stamps = Array.from(
      { length: 9 },
      (_, i) => `
apiVersion: config.aether.io/v1
kind: HTTPFilter
metadata: {name: stamp-${i}, namespace: team-a}
spec:
  filter: envoy.filters.http.header_mutation
  typedConfig:
    "@type": type.googleapis.com/envoy.extensions.filters.http.header_mutation.v3.HeaderMutationPerRoute
    mutations: {response_mutations: [{append: {header: {key: x-stamp, value: "${i}"}}}]}`,
    );
    const stamped = Array.from({ length: 9 }, (_, i) =>
      httpRoute(
        `stamped-${i}`,
        `s${i}.example.com`,
        `  rules: [{filters: [${extension(`stamp-${i}`)}], backendRefs: [{name: one, port: 80}]}]`,
      ),
    );
    await control.apply(joinDocuments(base(), good("1"), ...stamps, halfRuleFilter, ...stamped, poisonedRoute));
    await goodServes("1");
    for (let i = 0; i < 9; i++)
      await eventually({ port, host: `s${i}.example.com` }, "/", ({ headers }) => headers["x-stamp"] === String(i), {
        withinMs: 20_000,
      });
    assert.equal(await poisonedSays("/bad"), 500);
    assert.equal(await poisonedSays("/fine"), 200);
  });

  it("holds an object that many hosts have to blame once, and no route for it", async () => {
    control = await startControlPlane(folder, { checkExtension: blindCheck });
    const poisoned = Array.from({ length: 5 }, (_, i) =>
      poisonedRoute.replace("name: poisoned,", `name: poisoned-${i},`).replace('"poisoned.', `"poisoned-${i}.`),
    );
    await control.apply(joinDocuments(base(), good("1"), halfRuleFilter, ...poisoned));
    await goodServes("1");
    for (let i = 0; i < 5; i++) {
      const target = { port, host: `poisoned-${i}.example.com` };
      await eventually(target, "/bad", ({ status }) => status === 500);
      assert.equal((await send(target, "/fine")).status, 200, "no rule but the one that has it");
    }
  });
});
