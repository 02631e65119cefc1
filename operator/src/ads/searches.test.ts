import assert from "node:assert/strict";
import { Ground, Scripted, set, stepTimeoutMs } from "./testing/scripted.ts";

const sent = (client: Scripted, name: string): number =>
  client.take().filter((response) => response.split(" ").slice(1).includes(name)).length;

/** Answers as one that refuses what has a bad cluster in it, until there is nothing to answer. Returns how often that was sent. */
function answer(client: Scripted, bad: string): number {
  let times = 0;
  for (;;) {
    const responses = client.take();
    if (responses.length === 0) return times;
    for (const response of responses) {
      const isBad = response.split(" ").slice(1).includes(bad);
      if (isBad) times++;
      if (isBad) client.nack("cluster", "no name is given");
      else client.ack("cluster");
    }
  }
}

const clusters = Array.from({ length: 32 }, (_, index) => `c${index}`);

function open(count: number): { readonly ground: Ground; readonly clients: readonly Scripted[] } {
  const ground = new Ground();
  ground.publish(...clusters.map((name) => set("cluster", name)));
  const clients = Array.from({ length: count }, () => new Scripted("delta", ground));
  for (const client of clients) client.ask("cluster");
  return { ground, clients };
}

describe("many clients that refuse the same", () => {
  it("are sent it once each, but the one that searches", () => {
    const { clients } = open(10);
    for (const client of clients) {
      assert.equal(client.take().length, 1);
      client.nack("cluster", "no name is given");
    }
    const [searcher, ...others] = clients;
    for (const other of others) assert.deepEqual(other.take(), [], "it waits");
    assert.ok(searcher);
    answer(searcher, "c7");
    assert.deepEqual(searcher.refused, ["cluster c7"]);
    for (const other of others) {
      const [all, ...more] = other.take();
      assert.deepEqual(more, []);
      assert.equal(all?.split(" ").length, clusters.length, "all but the bad one, at once");
      other.ack("cluster");
      assert.deepEqual(other.take(), []);
      assert.deepEqual(other.refused, []);
    }
  });

  it("wait for no client that does not answer", () => {
    const { ground, clients } = open(2);
    const [silent, other] = clients;
    assert.ok(silent && other);
    for (const client of clients) client.nack("cluster", "no name is given");
    for (const client of clients) client.take();
    ground.clock.advance(stepTimeoutMs);
    assert.equal(sent(other, "c7"), 1);
    other.nack("cluster", "no name is given");
    answer(other, "c7");
    assert.deepEqual(other.refused, ["cluster c7"]);
  });

  it("wait for no client that has gone", () => {
    const { clients } = open(2);
    const [gone, other] = clients;
    assert.ok(gone && other);
    for (const client of clients) client.nack("cluster", "no name is given");
    for (const client of clients) client.take();
    gone.stream.close();
    answer(other, "c7");
    assert.deepEqual(other.refused, ["cluster c7"]);
  });

  it("are given newer content when the search is over", () => {
    const { ground, clients } = open(2);
    const [searcher, other] = clients;
    assert.ok(searcher && other);
    for (const client of clients) client.nack("cluster", "no name is given");
    assert.deepEqual(other.take().slice(1), []);
    ground.publish(set("cluster", "c7", { edition: 2 }), set("cluster", "new"));
    answer(searcher, "c7");
    const responses = other.take();
    assert.equal(responses.length, 1);
    assert.ok(responses[0]?.split(" ").includes("new"));
    assert.deepEqual(other.refused, []);
  });
});
