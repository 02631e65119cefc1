import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { envoyBinary } from "../../../test/support/envoy.ts";
import { freePort } from "../../../test/support/free-port.ts";
import { send } from "../../../test/support/http-client.ts";
import type { Placement, ProxyState } from "../gatewayapi/index.ts";
import { silentLogger } from "../lib/index.ts";
import { createFleet, type Fleet } from "./fleet.ts";
import { createGuard, type Guard } from "./guard.ts";
import { inspectHost } from "./host.ts";
import type { Want } from "./placement.ts";
import { directResponse } from "./testing/direct-response.ts";

describe("createFleet()", () => {
  let folder: string;
  let guard: Guard;
  let fleet: Fleet;
  let wants: readonly Want[] = [];
  const placements = new Map<string, Placement>();
  const states = new Map<string, ProxyState>();
  const notes: string[] = [];
  let wake = () => {};

  /** Waits for a call of the fleet after which `holds`. */
  async function until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => (wake = resolve));
  }
  const isReady = (key: string) => states.get(key)?.kind === "ready";

  before(async function () {
    this.timeout(120_000);
    await envoyBinary();
  });

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "gw-fleet-"));
    guard = createGuard(folder);
    wants = [];
    placements.clear();
    states.clear();
    notes.length = 0;
    const note =
      <V>(map: Map<string, V>) =>
      (key: string, value: V | undefined) => {
        if (value === undefined) map.delete(key);
        else map.set(key, value);
        wake();
      };
    fleet = createFleet({
      wants: () => wants,
      place: note(placements),
      report: note(states),
      host: await inspectHost(),
      bindAddress: "127.0.0.1",
      envoy: {
        binary: await envoyBinary(),
        concurrency: 1,
        verbose: false,
        guard,
        // In the product the listeners come by xDS; here the first port is in the bootstrap.
        bootstrap: (key, socket) => {
          const stated = wants.find((want) => want.key === key)?.ports[0] ?? 0;
          return directResponse(socket, placements.get(key)?.bind(stated).port ?? 0, key);
        },
      },
      folder,
      drainMs: 1_000,
      logger: { ...silentLogger, debug: (_: object, message: string) => void notes.push(message) },
      onChange: () => wake(),
      retryMs: 50,
    });
  });

  afterEach(async () => {
    await fleet.close();
    guard.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("runs one Envoy a Gateway and ends them all", async () => {
    const [one, two] = [await freePort(), await freePort()];
    wants = [
      { key: "a/one", ports: [one], requested: [] },
      { key: "b/two", ports: [two], requested: [] },
    ];
    fleet.refresh();
    await until(() => isReady("a/one") && isReady("b/two"));
    assert.equal((await send({ port: one, host: "any" }, "/")).body, "a/one");
    assert.equal((await send({ port: two, host: "any" }, "/")).body, "b/two");
    assert.equal(new Set([...fleet.members().values()].map(({ pid }) => pid)).size, 2);
    await fleet.close();
    await assert.rejects(send({ port: one, host: "any" }, "/"), /ECONNREFUSED/);
    assert.deepEqual(await readdir(folder), []);
  });

  it("ends the Envoy of a Gateway that goes, and starts one when it comes back", async () => {
    const port = await freePort();
    const want = { key: "a/one", ports: [port], requested: [] };
    wants = [want];
    fleet.refresh();
    await until(() => isReady("a/one"));
    const before = fleet.members().get("a/one")?.pid;
    wants = [];
    fleet.refresh();
    await until(() => !placements.has("a/one") && !states.has("a/one"));
    assert.equal(fleet.members().size, 0);
    wants = [want];
    fleet.refresh();
    await until(() => isReady("a/one"));
    assert.notEqual(fleet.members().get("a/one")?.pid, before);
    assert.equal((await send({ port, host: "any" }, "/")).body, "a/one");
  });

  it("says that a foreign process has a port, serves the rest, and takes the port when it is free", async () => {
    const [taken, other, free] = [await freePort(), await freePort(), await freePort()];
    const foreign = createServer().listen(taken, "127.0.0.1");
    await once(foreign, "listening");
    wants = [
      { key: "a/one", ports: [free, taken], requested: [] },
      { key: "b/two", ports: [other], requested: [] },
    ];
    fleet.refresh();
    await until(() => isReady("a/one") && isReady("b/two"));
    const problem = `port ${taken} of 127.0.0.1 is in use by another process`;
    assert.deepEqual([...(placements.get("a/one")?.unavailablePorts ?? [])], [[taken, problem]]);
    assert.deepEqual(notes, [problem]);
    assert.equal((await send({ port: free, host: "any" }, "/")).body, "a/one");
    const pid = fleet.members().get("a/one")?.pid;
    foreign.close();
    await until(() => placements.get("a/one")?.unavailablePorts?.size === 0);
    assert.equal(fleet.members().get("a/one")?.pid, pid);
  });

  it("does not start an Envoy for a Gateway that asks for a foreign address", async () => {
    wants = [{ key: "a/one", ports: [await freePort()], requested: [{ type: "IPAddress", value: "198.51.100.1" }] }];
    fleet.refresh();
    await until(() => notes.length > 0);
    assert.deepEqual(notes, ["198.51.100.1 is no address of this host"]);
    assert.deepEqual(placements.get("a/one")?.addresses, []);
    assert.equal(fleet.members().get("a/one")?.pid, undefined);
  });
});
