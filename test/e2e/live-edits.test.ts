// Edits of what is served, under load: not one request may fail.
import assert from "node:assert/strict";
import { type EchoBackend, startEchoBackend } from "../support/echo-backend.ts";
import { freePort } from "../support/free-port.ts";
import { eventually, startLoad } from "../support/http-client.ts";
import { gatewayClass, httpGateway, httpRoute, joinDocuments, service } from "./support/manifests.ts";
import { type Standalone, startStandalone } from "./support/standalone.ts";

describe("live edits under load", function () {
  this.timeout(180_000);
  let gateway: Standalone;
  let port: number;
  let one: EchoBackend;
  let two: EchoBackend;
  const host = "edit.example.com";

  const to = (backend: string, marker: string) => `  - matches: [{path: {value: /}}]
    filters: [{type: ResponseHeaderModifier, responseHeaderModifier: {set: [{name: x-version, value: "${marker}"}]}}]
    backendRefs: [{name: ${backend}, port: 80}]`;
  const newRule = (marker: string) => `  - matches: [{path: {value: /new-${marker}}}]
    backendRefs: [{name: two, port: 80}]`;
  const served = (marker: string) =>
    eventually({ port, host }, "/", ({ headers, status }) => status === 200 && headers["x-version"] === marker);

  /** Makes \`edits\` one after the other, each seen by its effect, while requests run; all of them must be answered 200. */
  async function underLoad(edits: readonly (() => Promise<unknown>)[]): Promise<void> {
    const load = startLoad({ port, host }, "/");
    for (const edit of edits) await edit();
    const outcomes = await load.stop();
    assert.deepEqual([...outcomes.keys()], ["200"], JSON.stringify([...outcomes]));
    assert.ok((outcomes.get("200") ?? 0) > edits.length, "requests ran meanwhile");
  }

  before(async () => {
    one = await startEchoBackend("one");
    two = await startEchoBackend("two");
    port = await freePort();
    gateway = await startStandalone({
      files: {
        "gateway.yaml": joinDocuments(gatewayClass, httpGateway(port)),
        "services.yaml": joinDocuments(service("one", [one]), service("two", [two])),
        "route.yaml": httpRoute("edited", host, `  rules:\n${to("one", "start")}`),
      },
    });
    await eventually({ port, host }, "/", ({ status }) => status === 200, { withinMs: 60_000 });
  });

  after(async () => {
    await gateway?.close();
    await one.close();
    await two.close();
  });

  it("swaps a route's backend back and forth", async () => {
    await underLoad(
      Array.from({ length: 20 }, (_, i) => async () => {
        await gateway.write(
          "route.yaml",
          httpRoute("edited", host, `  rules:\n${to(i % 2 === 0 ? "two" : "one", `swap-${i}`)}`),
        );
        const { echo } = await served(`swap-${i}`);
        assert.equal(echo?.backend, i % 2 === 0 ? "two" : "one");
      }),
    );
  });

  it("puts new rules first and takes them away again", async () => {
    await underLoad(
      Array.from({ length: 20 }, (_, i) => async () => {
        const rules = i % 2 === 0 ? `${newRule(String(i))}\n${to("two", `order-${i}`)}` : to("one", `order-${i}`);
        await gateway.write("route.yaml", httpRoute("edited", host, `  rules:\n${rules}`));
        await served(`order-${i}`);
      }),
    );
  });

  it("brings up a Service that no route used before, and drops it", async () => {
    await underLoad(
      Array.from({ length: 6 }, (_, i) => async () => {
        await gateway.write(`fresh-${i}.yaml`, service(`fresh-${i}`, [two]));
        await gateway.write("route.yaml", httpRoute("edited", host, `  rules:\n${to(`fresh-${i}`, `fresh-${i}`)}`));
        assert.equal((await served(`fresh-${i}`)).echo?.backend, "two");
      }),
    );
  });

  it("moves a Service's endpoints", async () => {
    await gateway.write("route.yaml", httpRoute("edited", host, `  rules:\n${to("one", "endpoints")}`));
    await served("endpoints");
    await underLoad(
      Array.from({ length: 10 }, (_, i) => async () => {
        const backend = i % 2 === 0 ? two : one;
        await gateway.write("services.yaml", joinDocuments(service("one", [backend]), service("two", [two])));
        await eventually({ port, host }, "/", ({ echo }) => echo?.backend === backend.name);
      }),
    );
  });

  it("keeps serving while a file is half-written, and takes it when it is whole", async () => {
    const whole = httpRoute("edited", host, `  rules:\n${to("two", "whole")}`);
    await underLoad([
      () => gateway.write("route.yaml", whole.slice(0, whole.indexOf("rules:") + 4)),
      async () => {
        const deadline = Date.now() + 10_000;
        while (!gateway.output().includes("route.yaml") && Date.now() < deadline)
          await new Promise((resolve) => setTimeout(resolve, 20));
        assert.match(gateway.output(), /route\.yaml:\d+/, "the problem names file and line");
      },
      async () => {
        await gateway.write("route.yaml", whole);
        await served("whole");
      },
    ]);
  });

  it("adds and removes other hosts, and crosses a threshold of virtual host discovery", async () => {
    const hosts = (count: number) =>
      joinDocuments(
        ...Array.from({ length: count }, (_, i) =>
          httpRoute(`host-${i}`, `h${i}.example.com`, `  rules:\n${to("two", `h${i}`)}`),
        ),
      );
    const parameters = "{group: config.aether.io, kind: MeshConfig, name: mesh, namespace: gatewright-system}";
    const withThreshold = joinDocuments(
      gatewayClass.replace("spec: {", `spec: {parametersRef: ${parameters}, `),
      "apiVersion: config.aether.io/v1\nkind: MeshConfig\nmetadata: {name: mesh, namespace: gatewright-system}\nspec: {virtualHostDiscovery: {threshold: 100}}",
      httpGateway(port),
    );
    await underLoad([
      () => gateway.write("gateway.yaml", withThreshold),
      async () => {
        await gateway.write("hosts.yaml", hosts(150));
        await eventually({ port, host: "h149.example.com" }, "/", ({ echo }) => echo?.backend === "two");
      },
      async () => {
        await gateway.write("hosts.yaml", hosts(151));
        await eventually({ port, host: "h150.example.com" }, "/", ({ echo }) => echo?.backend === "two");
      },
      async () => {
        await gateway.write("hosts.yaml", hosts(3));
        await eventually({ port, host: "h149.example.com" }, "/", ({ status }) => status === 404);
        await eventually({ port, host: "h2.example.com" }, "/", ({ echo }) => echo?.backend === "two");
      },
    ]);
  });
});
