// Many Gateways beside each other, each with an Envoy of its own: what happens to one is no matter to the others. And statuses that cannot be written.
import assert from "node:assert/strict";
import { mkdtemp, rm, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EchoBackend, startEchoBackend } from "../support/echo-backend.ts";
import { freePort } from "../support/free-port.ts";
import { eventually, startLoad } from "../support/http-client.ts";
import { gatewayClass, httpGateway, httpRoute, joinDocuments, service } from "./support/manifests.ts";
import { hasCondition, type Standalone, startStandalone, type StatusFile } from "./support/standalone.ts";

describe("what users reported against others, of many Gateways", function () {
  this.timeout(120_000);
  let backend: EchoBackend;
  let gateway: Standalone;

  before(async () => {
    backend = await startEchoBackend("one");
  });
  afterEach(() => gateway?.close());
  after(() => backend.close());

  const route = (name: string, marker = name) =>
    httpRoute(
      `to-${name}`,
      undefined,
      `  rules: [{filters: [{type: ResponseHeaderModifier, responseHeaderModifier: {set: [{name: x-gateway, value: "${marker}"}]}}], backendRefs: [{name: one, port: 80}]}]`,
      name,
    );

  it("gives each its own Envoy, and lets none fail for the mistakes, the death or the end of another", async () => {
    const port = await freePort();
    const names = ["a", "b", "c", "d", "e"];
    const file = (name: string) => joinDocuments(httpGateway(port, name), route(name));
    gateway = await startStandalone({
      files: {
        "base.yaml": joinDocuments(gatewayClass, service("one", [backend])),
        ...Object.fromEntries(names.map((name) => [`${name}.yaml`, file(name)])),
      },
    });
    const addressOf = async (name: string) => {
      const isUp = ({ status }: StatusFile) => hasCondition(status.conditions, "Programmed", "True");
      const { status } = await gateway.statusWhen("Gateway", "team-a", name, isUp);
      return status.addresses?.[0]?.value ?? assert.fail(`Gateway ${name} has no address`);
    };
    const addresses = new Map<string, string>();
    for (const name of names) addresses.set(name, await addressOf(name));
    assert.equal(new Set(addresses.values()).size, names.length, [...addresses.values()].join(" "));
    const target = (name: string) => ({ address: addresses.get(name) ?? "", port, host: "any.example.com" });
    for (const name of names) await eventually(target(name), "/", ({ headers }) => headers["x-gateway"] === name);

    const loads = ["a", "e"].map((name) => startLoad(target(name), "/", { connections: 1, pauseMs: 10 }));
    // A mistake of one.
    await gateway.write(
      "b.yaml",
      joinDocuments(
        httpGateway(port, "b").replace("protocol: HTTP,", "protocol: HTTPS, tls: {certificateRefs: [{name: none}]},"),
        route("b"),
      ),
    );
    await gateway.statusWhen("Gateway", "team-a", "b", ({ status }) =>
      hasCondition(status.conditions, "Programmed", "False"),
    );
    // The death of an Envoy.
    const [, pid] = /Envoy is ready .*gateway=team-a\/c envoyPid=(\d+)/.exec(gateway.output()) ?? assert.fail();
    process.kill(Number(pid), "SIGKILL");
    await gateway.outputWhen((text) => /Envoy ended unexpectedly .*gateway=team-a\/c/.test(text));
    // The end of another.
    await gateway.remove("d.yaml");
    await gateway.outputWhen((text) => /Gateway is gone; its Envoy drains .*gateway=team-a\/d/.test(text));
    // An edit of a good one.
    await gateway.write("a.yaml", joinDocuments(httpGateway(port, "a"), route("a", "edited")));
    await eventually(target("a"), "/", ({ headers }) => headers["x-gateway"] === "edited");
    await eventually(target("c"), "/", ({ headers }) => headers["x-gateway"] === "c");
    await gateway.write("b.yaml", file("b"));
    await eventually(target("b"), "/", ({ headers }) => headers["x-gateway"] === "b");
    for (const load of loads) assert.deepEqual([...(await load.stop()).keys()], ["200"]);
  });

  it("serves while statuses cannot be written, says so once, and writes them as soon as they can", async () => {
    const port = await freePort();
    const folder = await mkdtemp(join(tmpdir(), "gatewright-status-"));
    const blocked = join(folder, "status");
    try {
      await writeFile(blocked, "no folder");
      gateway = await startStandalone({
        files: { "all.yaml": joinDocuments(gatewayClass, httpGateway(port), service("one", [backend]), route("gw")) },
        statusDirectory: blocked,
      });
      await eventually({ port, host: "any.example.com" }, "/", ({ status }) => status === 200);
      await gateway.outputWhen((text) => text.includes("statuses cannot be written"));
      await gateway.write("route.yaml", route("gw", "edited").replace("to-gw", "ato-gw"));
      await eventually({ port, host: "any.example.com" }, "/", ({ headers }) => headers["x-gateway"] === "edited");
      await unlink(blocked);
      await gateway.statusWhen("Gateway", "team-a", "gw", ({ status }) =>
        hasCondition(status.conditions, "Programmed", "True"),
      );
      // All of them, one after the other.
      await gateway.statusWhen("HTTPRoute", "team-a", "to-gw", ({ status }) =>
        JSON.stringify(status).includes("Accepted"),
      );
      assert.equal(gateway.output().split("statuses cannot be written").length, 2, "said once");
    } finally {
      await gateway.close();
      await rm(folder, { recursive: true });
    }
  });
});
