// A listener with few hosts comes to have many, and back: whoever is connected sees every route as it comes and goes.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EchoBackend, startEchoBackend } from "../support/echo-backend.ts";
import { freePort } from "../support/free-port.ts";
import { eventually, startLoad } from "../support/http-client.ts";
import {
  changesOf,
  type ControlPlane,
  type DataPlane,
  startControlPlane,
  startDataPlane,
} from "./support/control-plane.ts";
import { gatewayClass, httpGateway, httpRoute, joinDocuments, service } from "./support/manifests.ts";

describe("hosts of a listener, few and many", function () {
  this.timeout(120_000);
  let folder: string;
  let port: number;
  let backend: EchoBackend;
  let control: ControlPlane;
  let data: DataPlane;
  let agent: Agent;
  /** Connections that the agent made. */
  let sockets: number;

  const nameOf = (index: number) => `h${index}.example.com`;
  const routes = (from: number, to: number) =>
    joinDocuments(
      ...Array.from({ length: to - from }, (_, at) =>
        httpRoute(`r${from + at}`, nameOf(from + at), "  rules: [{backendRefs: [{name: one, port: 80}]}]"),
      ),
    );
  const come = (from: number, to: number) => control.apply(routes(from, to));
  const go = async (from: number, to: number) => {
    control.reconciler.apply(changesOf(routes(from, to)).map((change) => ({ ...change, object: undefined })));
    await control.reconciler.settled();
  };

  /** Asked over a connection that was there before any change, and over a new one. */
  const answers = async (index: number, wanted: number) => {
    for (const options of [{ agent }, {}])
      await eventually({ port, host: nameOf(index) }, "/", ({ status }) => status === wanted, options);
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "gatewright-"));
    port = await freePort();
    backend = await startEchoBackend("one");
    data = await startDataPlane(folder);
    control = await startControlPlane(folder);
    sockets = 0;
    agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const connect = agent.createConnection.bind(agent);
    agent.createConnection = (...connection) => {
      sockets++;
      return connect(...connection);
    };
  });

  afterEach(async () => {
    agent.destroy();
    await data.kill();
    await control.close();
    await backend.close();
    await rm(folder, { recursive: true });
  });

  it("come and go, one by one and many at once, on connections that stay open, and no request fails", async () => {
    await control.apply(joinDocuments(gatewayClass, httpGateway(port), service("one", [backend])));
    await answers(0, 404);
    const { listener, route } = control.ads.counters.types;
    const before = [sockets, listener.responses, route.responses];
    await come(0, 98);
    await answers(0, 200);
    const kept = startLoad({ port, host: nameOf(0) }, "/");
    for (const count of [99, 100, 101]) {
      await come(count - 1, count);
      await answers(count - 1, 200);
    }
    await come(101, 400);
    await answers(399, 200);
    await go(101, 400);
    await answers(399, 404);
    for (const count of [101, 100, 99]) {
      await go(count - 1, count);
      await answers(count - 1, 404);
    }
    await go(1, 98);
    await answers(97, 404);
    await answers(0, 200);
    assert.deepEqual([...(await kept.stop()).keys()], ["200"]);
    // A listener that is exchanged closes its connections sooner or later, and leaves them with old routes until then.
    assert.deepEqual([sockets, listener.responses, route.responses], before, "one connection, one listener, one table");
  });

  it("are served again on a listener that went and came back", async () => {
    const other = await freePort();
    const base = (at: number, generation: number) => control.apply(httpGateway(at), generation);
    await control.apply(joinDocuments(gatewayClass, httpGateway(port), service("one", [backend]), routes(0, 3)));
    await answers(2, 200);
    await base(other, 2);
    await eventually({ port: other, host: nameOf(2) }, "/", ({ status }) => status === 200);
    await base(port, 3);
    await eventually({ port, host: nameOf(2) }, "/", ({ status }) => status === 200);
    await come(3, 4);
    await eventually({ port, host: nameOf(3) }, "/", ({ status }) => status === 200);
  });
});
