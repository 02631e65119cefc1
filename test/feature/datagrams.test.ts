// UDPRoutes on a real Envoy: each backend answers a datagram with its name.
import assert from "node:assert/strict";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { type ServedGateway, serveGateway, serviceAt } from "../support/served-gateway.ts";

const route = (name: string, listener: string, backends: string, year = 2026) => `
apiVersion: gateway.networking.k8s.io/v1
kind: UDPRoute
metadata: {name: ${name}, namespace: infra, creationTimestamp: "${year}-01-01T00:00:00Z"}
spec:
  parentRefs: [{name: gw, sectionName: ${listener}}]
  rules: [{backendRefs: ${backends}}]
`;

const objects = [
  `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: gw, namespace: infra}
spec:
  gatewayClassName: gatewright
  listeners:
  - {name: udp, port: 53, protocol: UDP}
  - {name: tcp, port: 53, protocol: TCP}
  - {name: weighted, port: 54, protocol: UDP}
  - {name: halved, port: 55, protocol: UDP}
  - {name: broken, port: 56, protocol: UDP}
`,
  route("newer", "udp", "[{name: two, port: 80}]", 2026),
  route("older", "udp", "[{name: one, port: 80}]", 2025),
  route(
    "weights",
    "weighted",
    "[{name: one, port: 80, weight: 3}, {name: two, port: 80}, {name: three, port: 80, weight: 0}]",
  ),
  route("half", "halved", "[{name: one, port: 80}, {name: missing, port: 80}]"),
  route("invalid", "broken", "[{name: missing, port: 80}]"),
  route("refused", "tcp", "[{name: one, port: 80}]"),
];

describe("UDPRoute, by effect", function () {
  this.timeout(60_000);
  const servers: Socket[] = [];
  let gateway: ServedGateway;

  async function startBackend(name: string): Promise<string> {
    const server = createSocket("udp4");
    server.on("message", (message, { address, port }) => server.send(`${name} ${String(message)}`, port, address));
    server.bind(0, "127.0.0.1");
    await once(server, "listening");
    servers.push(server);
    return serviceAt(name, server.address().port, { protocol: "UDP" });
  }

  before(async () => {
    const services: string[] = [];
    for (const name of ["one", "two", "three"]) services.push(await startBackend(name));
    gateway = await serveGateway([...objects, ...services], [53, 54, 55, 56]);
  });

  after(async () => {
    await gateway?.stop();
    for (const server of servers) server.close();
  });

  /** Who answers datagrams of this many clients, with how often; those that nobody answers are not counted. */
  async function answersOn(port: number, clients: number): Promise<ReadonlyMap<string, number>> {
    const counts = new Map<string, number>();
    const sockets = Array.from({ length: clients }, () => createSocket("udp4"));
    for (const [index, socket] of sockets.entries()) {
      socket.on("message", (message) => {
        const [name = "", echoed] = String(message).split(" ");
        assert.equal(echoed, `hello-${index}`);
        counts.set(name, (counts.get(name) ?? 0) + 1);
      });
      socket.on("error", () => undefined);
      socket.send(`hello-${index}`, gateway.portOf(port), "127.0.0.1");
    }
    // What was sent before is answered before this: Envoy works in one thread here.
    await probe();
    await probe();
    for (const socket of sockets) socket.close();
    return counts;
  }

  async function probe(): Promise<void> {
    const socket = createSocket("udp4");
    const answered = once(socket, "message");
    socket.send("probe", gateway.portOf(53), "127.0.0.1");
    assert.equal(String((await answered)[0]), "one probe");
    socket.close();
  }

  it("passes datagrams and their answers, from the oldest route's backend", async () => {
    assert.deepEqual([...(await answersOn(53, 20)).keys()], ["one"]);
  });

  it("shares clients by weight", async () => {
    const counts = await answersOn(54, 100);
    assert.deepEqual([...counts.keys()].toSorted(), ["one", "two"]);
    assert.ok((counts.get("one") ?? 0) > (counts.get("two") ?? 0));
  });

  it("loses the share of a backend that is not there, and all where there is none", async () => {
    const { size, one = 0 } = { size: 40, one: (await answersOn(55, 40)).get("one") };
    assert.ok(one > 0 && one < size, String(one));
    assert.equal((await answersOn(56, 10)).size, 0);
  });

  it("says in the status what is wrong", () => {
    const statusOf = (name: string) => JSON.stringify(gateway.world.statuses.get(`UDPRoute infra/${name}`)?.status);
    assert.match(statusOf("invalid"), /"type":"ResolvedRefs","status":"False","reason":"BackendNotFound"/);
    assert.match(statusOf("refused"), /"type":"Accepted","status":"False","reason":"NotAllowedByListeners"/);
    assert.match(statusOf("newer"), /"type":"Accepted","status":"True"/);
  });
});
