import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { backends, demoHost, filter, gateway, routes } from "../../../test/demo/manifests.ts";
import { type EchoBackend, startEchoBackend } from "../../../test/support/echo-backend.ts";
import { envoyBinary } from "../../../test/support/envoy.ts";
import { freePort } from "../../../test/support/free-port.ts";
import { eventually, send } from "../../../test/support/http-client.ts";
import { createLogger } from "../lib/index.ts";
import { withDefaultClass } from "../overview/index.ts";
import { type Change, keyOf } from "../store/index.ts";
import { createLogDisplay } from "./display.ts";
import { createGuard, type Guard } from "./guard.ts";
import { type Session, startSession } from "./session.ts";

describe("startSession()", function () {
  this.timeout(60_000);
  const controllerName = "gatewright.dev/gateway-controller";
  const lines: string[] = [];
  const logger = createLogger({ level: "info", format: "text", write: (line) => lines.push(line) });
  let folder: string;
  let guard: Guard;
  let session: Session | undefined;
  let one: EchoBackend;
  let two: EchoBackend;

  before(async () => {
    await envoyBinary();
    one = await startEchoBackend("blue");
    two = await startEchoBackend("green");
  });
  after(() => Promise.all([one.close(), two.close()]));
  beforeEach(async () => {
    lines.length = 0;
    folder = await mkdtemp(join(tmpdir(), "gw-session-"));
    guard = createGuard(folder);
  });
  afterEach(async () => {
    await session?.close();
    guard.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function start(adminPort?: number): Promise<Session> {
    session = await startSession({
      settings: { controllerName, rootNamespace: "gatewright-system" },
      envoy: await envoyBinary(),
      folder,
      guard,
      concurrency: 1,
      verbose: false,
      drainMs: 1_000,
      bindAddress: "127.0.0.1",
      ...(adminPort === undefined ? {} : { adminPort }),
      logger,
      display: () => createLogDisplay(logger),
      place: (kind) => `${kind.toLowerCase()}.yaml:1`,
    });
    session.reconciler.apply([withDefaultClass("gatewright", controllerName).initial]);
    return session;
  }

  it("serves what is applied, follows edits, and leaves nothing behind", async () => {
    const port = await freePort();
    const { reconciler, settled } = await start();
    const manifests = [backends({ blue: one.port, green: two.port }), gateway(port), filter, routes("blue")];
    reconciler.apply(manifests.flatMap(parse));
    reconciler.synced();
    await settled();
    assert.equal((await send({ port, host: demoHost }, "/")).echo?.backend, "blue");
    reconciler.apply(parse(routes("green")));
    await eventually({ port, host: demoHost }, "/", ({ echo }) => echo?.backend === "green");
    const text = lines.join("");
    assert.match(text, new RegExp(`Gateway demo/web serves http at http://127.0.0.1:${port}`));
    assert.match(text, new RegExp(`HTTPRoute demo/shop is attached to demo/web for ${demoHost}`));
    assert.doesNotMatch(text, /WARN|ERROR/);
    await session?.close();
    session = undefined;
    await assert.rejects(send({ port, host: demoHost }, "/"), /ECONNREFUSED/);
    assert(!existsSync(join(folder, "ads.sock")));
    assert.deepEqual(await readdir(folder), []);
  });

  it("says so when an Envoy is killed, and serves again with the next one", async () => {
    const port = await freePort();
    const { reconciler, settled, board, members } = await start();
    reconciler.apply(
      [backends({ blue: one.port, green: two.port }), gateway(port), filter, routes("blue")].flatMap(parse),
    );
    reconciler.synced();
    await settled();
    assert.equal(board.gateways()[0]?.state, "serving");
    const pid = members().get("demo/web")?.pid;
    assert(pid !== undefined);
    process.kill(pid, "SIGKILL");
    await eventually({ port, host: demoHost }, "/", ({ status }) => status === 200);
    assert.match(lines.join(""), /Envoy ended unexpectedly \(SIGKILL\)/);
  });

  it("keeps Gateways apart that want the same port, and serves the rest where one port is taken", async () => {
    const [port, taken] = [await freePort(), await freePort()];
    const foreign = createServer().listen(taken, "127.0.0.1");
    await once(foreign, "listening");
    const { reconciler, settled, board } = await start();
    const second = gateway(port).replace("name: web", "name: zeta");
    const third = gateway(taken).replace("name: web", "name: barred");
    reconciler.apply(
      [backends({ blue: one.port, green: two.port }), gateway(port), second, third, filter, routes("blue")].flatMap(
        parse,
      ),
    );
    reconciler.synced();
    await settled();
    assert.equal((await send({ port, host: demoHost }, "/")).status, 200);
    // The other Gateway has no routes.
    assert.equal((await send({ address: "127.0.0.2", port, host: demoHost }, "/")).status, 404);
    const barred = board.gateways().find(({ name }) => name === "demo/barred");
    assert.equal(barred?.isServing, false);
    assert.match(lines.join(""), new RegExp(`port ${taken} .* is in use by another process \\(PortUnavailable\\)`));
    foreign.close();
    await eventually({ port: taken, host: demoHost }, "/", ({ status }) => status === 404);
  });

  it("opens admin interfaces where it is told to", async () => {
    const [port, adminPort] = [await freePort(), await freePort()];
    const { reconciler, settled } = await start(adminPort);
    reconciler.apply(parse(gateway(port)));
    reconciler.synced();
    await settled();
    await eventually({ port: adminPort, host: "127.0.0.1" }, "/ready", ({ body }) => body === "LIVE\n");
  });
});

const parse = (yaml: string): Change[] =>
  parseAllDocuments(yaml).map((document) => {
    const object = document.toJS();
    object.metadata.generation = 1;
    return { kind: object.kind, key: keyOf(object), object };
  });
