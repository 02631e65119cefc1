import assert from "node:assert/strict";
import type { Refusal } from "../gatewayapi/index.ts";
import { type Listener, listenerKey } from "../ir/index.ts";
import { type Clock, createGraph } from "../lib/index.ts";
import { createListenerVerdicts } from "./listener-verdicts.ts";

const proxy = "infra/gw";
const origin = { kind: "MeshConfig", namespace: "root", name: "mesh" };
const listener = (name: string, path?: string): Listener => ({
  proxy,
  name,
  port: 80,
  bind: { address: "127.0.0.1", port: 80 },
  filterChains: [],
  ...(path !== undefined && { accessLog: { path, origin } }),
});

/** A TCP and a UDP listener on one port, and one that logs to a file. */
function open() {
  const graph = createGraph();
  const refused = graph.source<Refusal>("refused");
  const quarantine = graph.source<Refusal>("quarantine");
  const listeners = new Map([
    ["http-80", { key: listenerKey(proxy, 80), listener: listener("http-80") }],
    ["udp-80", { key: listenerKey(proxy, 80, "udp"), listener: listener("udp-80") }],
    ["http-81", { key: listenerKey(proxy, 81), listener: listener("http-81", "/nope/log") }],
  ]);
  const retried: string[] = [];
  const due: { readonly delayMs: number; readonly action: () => void }[] = [];
  const clock: Clock = {
    after: (delayMs, action) => {
      const one = { delayMs, action };
      due.push(one);
      return () => due.splice(due.indexOf(one), due.includes(one) ? 1 : 0);
    },
  };
  const verdicts = createListenerVerdicts({
    refused,
    quarantine,
    find: (_, name) => listeners.get(name),
    contentOf: () => "7",
    retry: (_, type, name) => retried.push(`${type} ${name}`),
    clock,
  });
  const judge = (kind: "accepted" | "refused", name: string, message = "") =>
    verdicts.judge({ kind, proxy, type: "listener", resources: [{ name, version: "1" }], message });
  return { refused, quarantine, retried, due, judge, close: verdicts.close };
}

describe("createListenerVerdicts()", () => {
  it("marks the listener that was refused and no other of its port, until it is accepted", () => {
    const { refused, judge } = open();
    assert.equal(judge("refused", "udp-80", "no"), true);
    assert.deepEqual(refused.get(listenerKey(proxy, 80, "udp")), { message: "no", content: "7" });
    assert.equal(refused.get(listenerKey(proxy, 80)), undefined);
    assert.equal(judge("accepted", "http-80"), false);
    assert.equal(judge("accepted", "udp-80"), true);
    assert.equal(refused.get(listenerKey(proxy, 80, "udp")), undefined);
  });

  it("blames a MeshConfig for a log that cannot be written, and only for that", () => {
    const { quarantine, judge } = open();
    judge("refused", "http-81", "something else");
    assert.equal(quarantine.get("MeshConfig root/mesh"), undefined);
    judge("refused", "http-81", "unable to open file '/nope/log': No such file or directory");
    assert.equal(quarantine.get("MeshConfig root/mesh")?.content, "7");
  });

  it("tries a port that another process has again, less and less often", () => {
    const { retried, due, judge } = open();
    const delays: number[] = [];
    for (let i = 0; i < 8; i++) {
      judge("refused", "http-80", "cannot bind '127.0.0.1:80': Address already in use");
      const next = due.pop() ?? assert.fail("nothing is due");
      delays.push(next.delayMs);
      next.action();
    }
    assert.deepEqual(delays, [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
    assert.deepEqual([...new Set(retried)], ["listener http-80"]);
    judge("accepted", "http-80");
    judge("refused", "http-80", "cannot bind '127.0.0.1:80': Address already in use");
    assert.equal(due.pop()?.delayMs, 1_000);
  });

  it("does not try again what is refused for its content, nor after the end", () => {
    const { due, judge, close } = open();
    judge("refused", "http-80", "bad content");
    assert.equal(due.length, 0);
    judge("refused", "http-80", "cannot bind '127.0.0.1:80'");
    close();
    assert.equal(due.length, 0);
  });
});
