// What users have reported of size: a filter that costs memory for each route, and limits that nobody tried.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EchoBackend, startEchoBackend } from "../support/echo-backend.ts";
import { freePort } from "../support/free-port.ts";
import { eventually, send } from "../support/http-client.ts";
import { reference, stamp } from "./support/bad-rules.ts";
import { startControlPlane, startDataPlane } from "./support/control-plane.ts";
import { gatewayClass, httpGateway, httpRoute, joinDocuments, service } from "./support/manifests.ts";
import { type Standalone, startStandalone } from "./support/standalone.ts";

describe("what users reported against others, of size", function () {
  this.timeout(120_000);
  let backend: EchoBackend;
  let port: number;

  before(async () => {
    backend = await startEchoBackend("one");
  });
  after(() => backend.close());
  beforeEach(async () => {
    port = await freePort();
  });

  /** What 500 routes cost, with a filter that they share or without. */
  async function serve500(filters: string) {
    const folder = await mkdtemp(join(tmpdir(), "gatewright-"));
    const data = await startDataPlane(folder);
    const control = await startControlPlane(folder);
    try {
      const routes = Array.from({ length: 500 }, (_, i) =>
        httpRoute(`r${i}`, `r${i}.example.com`, `  rules: [{${filters}backendRefs: [{name: one, port: 80}]}]`),
      );
      const base = joinDocuments(gatewayClass, httpGateway(port), service("one", [backend]), stamp("stamp"));
      await control.apply(joinDocuments(base, ...routes));
      const answers = await Promise.all(
        [0, 250, 499].map((i) => eventually({ port, host: `r${i}.example.com` }, "/", ({ status }) => status === 200)),
      );
      const { types } = control.ads.counters;
      const memory = /VmRSS:\s+(\d+) kB/.exec(await readFile(`/proc/${data.pid}/status`, "utf8").catch(() => ""));
      return {
        stamps: answers.map(({ headers }) => headers["x-stamp"]),
        extensions: types.extension.resources,
        bytes: Object.values(types).reduce((sum, type) => sum + type.bytes, 0),
        residentKiB: Number(memory?.[1] ?? 0),
      };
    } finally {
      await data.kill();
      await control.close();
      await rm(folder, { recursive: true });
    }
  }

  it("shares one filter among 500 routes: one resource for all of them, and little more for each", async () => {
    const plain = await serve500("");
    const shared = await serve500(`filters: [${reference("config.aether.io", "HTTPFilter", "stamp")}], `);
    assert.deepEqual(shared.stamps, ["1", "1", "1"]);
    assert.deepEqual(plain.stamps, [undefined, undefined, undefined]);
    assert.equal(shared.extensions, 1);
    const each = (shared.bytes - plain.bytes) / 500;
    const grown = (shared.residentKiB - plain.residentKiB) / 1024;
    assert.ok(each < 400, `${each} bytes a route`);
    // Measured: between -1 and +1 MiB.
    assert.ok(grown <= 20, `Envoy is ${grown} MiB larger`);
  });

  describe("the largest objects", () => {
    let gateway: Standalone;
    afterEach(() => gateway?.close());

    it("serves a Gateway of 64 listeners, and a route of 16 rules with 128 matches, and says what is beyond", async () => {
      const hosts = Array.from({ length: 64 }, (_, i) => `h${i}.example.com`);
      const listeners = hosts.map((host, i) => `  - {name: l${i}, port: ${port}, protocol: HTTP, hostname: ${host}}`);
      const rule = (index: number, matches = 8) =>
        `  - matches: [${Array.from({ length: matches }, (_, i) => `{path: {type: Exact, value: /r${index}/m${i}}}`).join(", ")}]
    backendRefs: [{name: one, port: 80}]`;
      const rules = (last = 8) =>
        `  rules:\n${Array.from({ length: 16 }, (_, i) => rule(i, i === 15 ? last : 8)).join("\n")}`;
      const gatewayManifest = httpGateway(port).replace(/  listeners:[\s\S]*/, `  listeners:\n${listeners.join("\n")}`);
      gateway = await startStandalone({
        files: {
          "base.yaml": joinDocuments(gatewayClass, gatewayManifest, service("one", [backend])),
          "route.yaml": httpRoute("large", undefined, rules()),
        },
      });
      for (const host of [hosts[0], hosts[63]])
        for (const path of ["/r0/m0", "/r15/m7"])
          await eventually({ port, host: host ?? "" }, path, ({ status }) => status === 200);
      assert.equal((await send({ port, host: "h64.example.com" }, "/r0/m0")).status, 404);
      await gateway.write("route.yaml", httpRoute("large", undefined, rules(9)));
      await gateway.outputWhen((text) => /HTTPRoute team-a\/large: .*matches.*128/.test(text));
      assert.equal((await send({ port, host: "h0.example.com" }, "/r15/m7")).status, 200, "as it was");
      const { status } = await gateway.statusWhen(
        "Gateway",
        "team-a",
        "gw",
        (file) => file.status.listeners?.length === 64,
      );
      assert.ok(status.listeners?.every(({ attachedRoutes }) => attachedRoutes === 1));
    });
  });
});
