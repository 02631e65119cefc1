import assert from "node:assert/strict";
import { drop, graceMs, Ground, Scripted, set, stepTimeoutMs, versionOf } from "./testing/scripted.ts";

// The client of these tests is played by hand. What any client does in any order is the matter of stream.property.test.ts.

/** A client that has cluster `a`, listener `l` and route table `t`, and has answered to all. */
function settled(): Scripted {
  const client = new Scripted();
  client.publish(set("cluster", "a"), set("endpoint", "a"), set("listener", "l"), set("route", "t"));
  client.ask("cluster");
  client.ask("endpoint", { subscribe: ["a"] });
  for (const type of ["cluster", "endpoint"] as const) client.ack(type);
  client.ask("listener");
  client.ask("route", { subscribe: ["t"] });
  for (const type of ["listener", "route"] as const) client.ack(type);
  assert.deepEqual(client.take(), ["cluster a", "endpoint a", "listener l", "route t"]);
  return client;
}

describe("delta: what a client asks for", () => {
  for (const [how, subscribe] of [
    ["without names", []],
    ["by *", ["*"]],
  ] as const)
    it(`is everything, asked for ${how}`, () => {
      const client = new Scripted();
      client.publish(set("cluster", "a"), set("cluster", "b"));
      client.ask("cluster", { subscribe: [...subscribe] });
      assert.deepEqual(client.take(), ["cluster a b"]);
      client.ack("cluster");
      client.publish(set("cluster", "c"));
      assert.deepEqual(client.take(), ["cluster c"]);
    });

  it("is nothing, asked for without names where names are needed", () => {
    const client = new Scripted();
    client.publish(set("endpoint", "a"));
    client.ask("endpoint");
    assert.deepEqual(client.take(), []);
  });

  it("is answered even if there is nothing, once", () => {
    const client = new Scripted();
    client.publish();
    client.ask("cluster");
    assert.deepEqual(client.take(), ["cluster"]);
    client.ack("cluster");
    client.ask("listener");
    client.ack("listener");
    assert.deepEqual(client.take(), ["listener"]);
  });

  it("waits for the first publication", () => {
    const client = new Scripted();
    client.ask("cluster");
    assert.deepEqual(client.take(), []);
    assert.match(client.reasons.join(), /nothing is published/);
    client.publish(set("cluster", "a"));
    assert.deepEqual(client.take(), ["cluster a"]);
  });

  it("is not kept without limit before the first publication", () => {
    const client = new Scripted();
    const outcomes = new Set(Array.from({ length: 1001 }, () => client.ask("cluster")));
    assert.deepEqual([...outcomes], ["taken", "too many"]);
  });

  it("is told to be gone where it does not exist, and sent when it comes to be", () => {
    const client = new Scripted();
    client.publish();
    client.ask("endpoint", { subscribe: ["nobody"] });
    assert.deepEqual(client.take(), ["endpoint -nobody"]);
    client.ack("endpoint");
    assert.deepEqual(client.take(), []);
    client.publish(set("endpoint", "nobody"));
    assert.deepEqual(client.take(), ["endpoint nobody"]);
  });

  it("is sent again to who asks again, for he has forgotten it", () => {
    const client = settled();
    client.ask("endpoint", { subscribe: ["a"] });
    assert.deepEqual(client.take(), ["endpoint a"]);
    client.ask("endpoint", { subscribe: ["a"] });
    assert.deepEqual(client.take(), [], "while the last answer is under way");
    client.ack("endpoint");
    assert.deepEqual(client.take(), ["endpoint a"]);
    client.ack("endpoint");
    client.ask("cluster", { subscribe: ["*"] });
    assert.deepEqual(client.take(), ["cluster a", "endpoint a"]);
  });

  it("ends with unsubscribing", () => {
    const client = settled();
    client.ask("endpoint", { unsubscribe: ["a"] });
    client.publish(set("endpoint", "a", { edition: 2 }));
    assert.deepEqual(client.take(), []);
    client.ask("cluster", { unsubscribe: ["*"] });
    client.publish(set("cluster", "b"));
    assert.deepEqual(client.take(), []);
  });

  it("is repeated where a name is given up that is one of all", () => {
    const client = settled();
    client.ask("cluster", { subscribe: ["a", "absent"] });
    assert.deepEqual(client.take(), ["cluster a -absent", "endpoint a"]);
    client.ack("cluster");
    client.ack("endpoint");
    client.ask("cluster", { unsubscribe: ["a"] });
    assert.deepEqual(client.take(), ["cluster a", "endpoint a"]);
  });
});

describe("delta: a client that comes with what it has", () => {
  it("is sent nothing where nothing differs", () => {
    const client = new Scripted();
    client.publish(set("cluster", "a"), set("endpoint", "a"), set("listener", "l"), set("route", "t"));
    client.ask("cluster", { has: { a: versionOf("cluster", "a") } });
    client.ask("endpoint", { subscribe: ["a"], has: { a: versionOf("endpoint", "a") } });
    client.ask("listener", { has: { l: versionOf("listener", "l") } });
    client.ask("route", { subscribe: ["t"], has: { t: versionOf("route", "t") } });
    assert.deepEqual(client.take(), []);
    assert.match(client.reasons.join(), /the client has all/);
    client.publish(set("endpoint", "a", { edition: 2 }));
    assert.deepEqual(client.take(), ["endpoint a"]);
  });

  it("is sent what differs, clusters and endpoints first, and told last of clusters that are gone", () => {
    const client = new Scripted();
    client.publish(set("cluster", "a"), set("endpoint", "a"), set("listener", "l"), set("route", "t"));
    client.ask("cluster", { has: { a: "old", gone: "v" } });
    client.ask("endpoint", { subscribe: ["a", "gone"], has: { a: versionOf("endpoint", "a"), gone: "v" } });
    client.ask("listener", { has: { l: "old", m: "v" } });
    client.ask("route", { subscribe: ["t"], has: { t: "old" } });
    assert.deepEqual(client.take(), ["cluster a", "endpoint a"], "endpoints too, for a cluster that changes");
    client.ack("cluster");
    assert.deepEqual(client.take(), []);
    client.ack("endpoint");
    assert.deepEqual(client.take(), ["listener l -m"]);
    client.ack("listener");
    assert.deepEqual(client.take(), ["route t"]);
    client.ack("route");
    assert.deepEqual(client.take(), []);
    client.ground.clock.advance(graceMs);
    assert.deepEqual(client.take(), ["cluster -gone"]);
  });

  it("is sent endpoints if it does not ask for clusters first: some wait for them", () => {
    const client = new Scripted();
    client.publish(set("cluster", "a"), set("endpoint", "a"), set("route", "t"));
    client.ask("endpoint", { subscribe: ["a"], has: { a: versionOf("endpoint", "a") } });
    client.ask("route", { subscribe: ["t"], has: { t: "old" } });
    assert.deepEqual(client.take(), ["endpoint a"]);
    client.ask("cluster", { has: { a: "old" } });
    client.ack("endpoint");
    client.ack("cluster");
    assert.deepEqual(client.take(), ["cluster a", "endpoint a"]);
    client.ack("endpoint");
    assert.deepEqual(client.take(), ["route t"]);
  });

  it("is not kept waiting if it has not asked for clusters", () => {
    const client = new Scripted();
    client.publish(set("cluster", "a"), set("listener", "l"));
    client.ask("listener");
    assert.deepEqual(client.take(), ["listener l"]);
  });
});

describe("delta: responses", () => {
  it("go out one at a time, each with the newest", () => {
    const client = settled();
    client.publish(set("endpoint", "a", { edition: 2 }));
    client.publish(set("endpoint", "a", { edition: 3 }));
    client.publish(set("endpoint", "a", { edition: 4 }));
    assert.deepEqual(client.take(), ["endpoint a"]);
    assert.match(client.reasons.join(), /the last response is not answered/);
    client.ack("endpoint");
    assert.deepEqual(client.take(), ["endpoint a"]);
    client.ack("endpoint");
    assert.deepEqual(client.take(), []);
  });

  it("are left out where the client has the content already when its turn comes", () => {
    const client = settled();
    client.publish(set("endpoint", "a", { edition: 2 }));
    client.publish(set("endpoint", "a"));
    client.publish(set("endpoint", "a", { edition: 2 }));
    client.take();
    client.ack("endpoint");
    assert.deepEqual(client.take(), []);
  });

  it("count as answered by their own nonce only", () => {
    const client = settled();
    client.publish(set("endpoint", "a", { edition: 2 }));
    client.publish(set("endpoint", "a", { edition: 3 }));
    client.take();
    client.ack("endpoint", "made up");
    assert.deepEqual(client.take(), []);
    client.ack("endpoint");
    assert.deepEqual(client.take(), ["endpoint a"]);
  });

  it("are none for a publication that changes nothing", () => {
    const client = settled();
    client.publish(set("cluster", "a"), set("route", "t"), drop("route", "no such"));
    assert.deepEqual(client.take(), []);
  });

  it("are none of types that are not ours", () => {
    const client = settled();
    assert.equal(
      client.stream.receive({
        typeUrl: "type.googleapis.com/envoy.service.runtime.v3.Runtime",
        subscribe: ["x"],
        unsubscribe: [],
        initialVersions: new Map(),
        nonce: "",
        error: undefined,
      }),
      "ignored",
    );
  });
});

describe("make before break", () => {
  const move = [
    set("cluster", "b"),
    set("endpoint", "b"),
    set("listener", "l", { edition: 2 }),
    set("route", "t", { edition: 2 }),
    drop("cluster", "a"),
    drop("endpoint", "a"),
  ];

  it("sends clusters, their endpoints, listeners, routes; and takes clusters away after a while", () => {
    const client = settled();
    client.publish(...move);
    assert.deepEqual(client.take(), ["cluster b"]);
    client.ack("cluster");
    assert.deepEqual(client.take(), [], "the endpoints are not there yet");
    client.ask("endpoint", { subscribe: ["b"] });
    assert.deepEqual(client.take(), ["endpoint b"]);
    client.ack("endpoint");
    assert.deepEqual(client.take(), ["listener l"]);
    client.ack("listener");
    assert.deepEqual(client.take(), ["route t"]);
    client.ground.clock.advance(graceMs);
    assert.deepEqual(client.take(), [], "the routes are not answered");
    client.ack("route");
    client.ground.clock.advance(graceMs - 1);
    assert.deepEqual(client.take(), []);
    client.ground.clock.advance(1);
    assert.deepEqual(client.take(), ["cluster -a"]);
  });

  it("keeps a cluster that is needed again in time", () => {
    const client = settled();
    client.publish(drop("cluster", "a"), drop("endpoint", "a"), set("route", "t", { edition: 2 }));
    client.ack("route");
    client.publish(set("cluster", "a"), set("endpoint", "a"), set("route", "t"));
    client.ack("route");
    assert.deepEqual(client.take(), ["route t", "route t"]);
    client.ground.clock.advance(10 * graceMs);
    assert.deepEqual(client.take(), []);
  });

  it("takes no cluster away in the middle of another change, and then without delay", () => {
    const client = settled();
    client.publish(drop("cluster", "a"), drop("endpoint", "a"), set("route", "t", { edition: 2 }));
    client.ack("route");
    client.publish(set("listener", "l", { edition: 2 }), set("route", "t", { edition: 3 }));
    client.take();
    client.ground.clock.advance(graceMs);
    assert.deepEqual(client.take(), []);
    client.ack("listener");
    assert.deepEqual(client.take(), ["route t"]);
    client.ack("route");
    assert.deepEqual(client.take(), ["cluster -a"]);
  });

  it("keeps the endpoints of a cluster as long as the cluster", () => {
    const client = settled();
    client.publish(drop("cluster", "a"), drop("endpoint", "a"), set("route", "t", { edition: 2 }));
    client.take();
    client.ask("endpoint", { subscribe: ["a"] });
    assert.deepEqual(client.take(), ["endpoint a"]);
  });

  it("merges what comes meanwhile, and does not starve", () => {
    const client = settled();
    client.publish(...move);
    client.ack("cluster");
    client.ask("endpoint", { subscribe: ["b"] });
    client.ack("endpoint");
    client.take();
    for (let edition = 3; edition < 10; edition++) {
      // Every publication has a new cluster on which the new routes depend.
      client.publish(set("cluster", `c${edition}`), set("route", "t", { edition }));
    }
    client.ack("cluster");
    client.ack("listener");
    assert.deepEqual(client.take(), ["cluster c3", "cluster c4 c5 c6 c7 c8 c9", "route t"]);
    client.ack("route");
    assert.deepEqual(client.take(), [], "the newest routes wait for their clusters");
    client.ack("cluster");
    assert.deepEqual(client.take(), ["route t"]);
  });

  it("lets endpoints pass by all that waits", () => {
    const client = settled();
    client.publish(set("cluster", "b"), set("route", "t", { edition: 2 }));
    client.publish(set("endpoint", "a", { edition: 2 }));
    assert.deepEqual(client.take(), ["cluster b", "endpoint a"]);
  });

  it("sends endpoints again behind a cluster that changed: Envoy does not ask for them", () => {
    const client = settled();
    client.publish(set("cluster", "a", { edition: 2 }), set("route", "t", { edition: 2 }));
    assert.deepEqual(client.take(), ["cluster a", "endpoint a"]);
    client.ack("cluster");
    assert.deepEqual(client.take(), []);
    client.ack("endpoint");
    assert.deepEqual(client.take(), ["route t"]);
  });

  it("sends secrets at once and extensions with listeners", () => {
    const client = settled();
    client.publish(set("secret", "s"), set("extension", "e"));
    client.ask("secret", { subscribe: ["s"] });
    client.ask("extension", { subscribe: ["e"] });
    for (const type of ["secret", "extension"] as const) client.ack(type);
    client.take();
    client.publish(set("cluster", "b"), set("secret", "s", { edition: 2 }), set("extension", "e", { edition: 2 }));
    assert.deepEqual(client.take(), ["cluster b", "secret s"]);
    client.ack("secret");
    client.ack("cluster");
    assert.deepEqual(client.take(), ["extension e"]);
  });

  it("takes listeners away first, and leaves to connections that drain what they use", () => {
    const client = settled();
    client.publish(drop("listener", "l"), drop("route", "t"), drop("cluster", "a"), drop("endpoint", "a"));
    assert.deepEqual(client.take(), ["listener -l"]);
    client.ack("listener");
    assert.deepEqual(client.take(), []);
    client.ground.clock.advance(graceMs);
    assert.deepEqual(client.take(), ["cluster -a"]);
  });

  it("has a new route table ready for the listener that turns to it", () => {
    const client = settled();
    client.publish(set("listener", "l", { route: "u" }), set("route", "u"), drop("route", "t"));
    assert.deepEqual(client.take(), ["listener l"]);
    client.ask("route", { subscribe: ["u"] });
    assert.deepEqual(client.take(), ["route u"], "before the listener is answered");
  });

  it("does not wait for ever for a client that does not answer", () => {
    const client = settled();
    client.publish(set("cluster", "b"), set("route", "t", { edition: 2 }), drop("cluster", "a"), drop("endpoint", "a"));
    client.ground.clock.advance(stepTimeoutMs - 1);
    assert.deepEqual(client.take(), ["cluster b"]);
    client.ground.clock.advance(1);
    assert.deepEqual(client.take(), ["route t"]);
    assert.match(client.reasons.join(), /does not answer in time/);
  });

  it("takes no cluster away before the client has answered to the routes, however long it takes", () => {
    const client = settled();
    client.publish(set("route", "t", { edition: 2 }), drop("cluster", "a"), drop("endpoint", "a"));
    client.ground.clock.advance(20 * stepTimeoutMs);
    assert.deepEqual(client.take(), ["route t"]);
    client.ack("route");
    client.ground.clock.advance(graceMs);
    assert.deepEqual(client.take(), ["cluster -a"]);
  });
});

describe("refused content", () => {
  it("is parked: not sent again, until it changes", () => {
    const client = settled();
    client.publish(set("route", "t", { bad: true }));
    client.nack("route");
    assert.deepEqual(client.take(), ["route t"]);
    assert.deepEqual(client.refused, ["route t"]);
    client.publish(set("cluster", "b"));
    client.ack("cluster");
    client.ground.clock.advance(10 * graceMs);
    assert.deepEqual(client.take(), ["cluster b"]);
    client.publish(set("route", "t", { edition: 3 }));
    assert.deepEqual(client.take(), ["route t"]);
  });

  it("does not keep the others of its response away", () => {
    const client = settled();
    client.publish(set("cluster", "b"), set("cluster", "c"), set("cluster", "d"), set("route", "t", { edition: 2 }));
    client.nack("cluster", "Error adding/updating cluster(s) c: no");
    assert.deepEqual(client.take(), ["cluster b c d", "cluster b d"]);
    client.ack("cluster");
    assert.deepEqual(client.take(), ["cluster c"]);
    client.nack("cluster", "Error adding/updating cluster(s) c: no");
    assert.deepEqual(client.take(), ["route t"], "nor other types");
    assert.deepEqual(client.refused, ["cluster c"]);
  });

  it("leaves open what the client took with it: a change back is sent", () => {
    const client = settled();
    client.publish(set("cluster", "a", { edition: 2 }), set("cluster", "bad", { bad: true }));
    client.publish(set("cluster", "a"));
    client.nack("cluster", "Error adding/updating cluster(s) bad: no");
    client.nack("cluster", "Error adding/updating cluster(s) bad: no");
    assert.deepEqual(client.take(), ["cluster a bad", "endpoint a", "cluster bad", "cluster a"]);
    assert.deepEqual(client.refused, ["cluster bad"]);
  });

  it("gives way to newer content while it is searched for", () => {
    const client = settled();
    client.publish(set("cluster", "b", { bad: true }), set("cluster", "c"));
    client.nack("cluster");
    client.publish(set("cluster", "b"));
    assert.deepEqual(client.take(), ["cluster b c", "cluster b"]);
    client.ack("cluster");
    assert.deepEqual(client.take(), ["cluster c"], "the rest of the search");
    client.ack("cluster");
    assert.deepEqual(client.take(), ["cluster b"]);
    client.ack("cluster");
    assert.deepEqual(client.take(), []);
    assert.deepEqual(client.refused, []);
  });

  it("stays parked over a reconnect, and a client that starts anew gets what was accepted last", () => {
    const client = settled();
    client.publish(set("route", "t", { bad: true }));
    client.nack("route");
    client.take();

    const again = new Scripted("delta", client.ground);
    again.ask("route", { subscribe: ["t"], has: { t: versionOf("route", "t") } });
    assert.deepEqual(again.take(), []);

    const anew = new Scripted("delta", client.ground);
    anew.ask("route", { subscribe: ["t"] });
    assert.deepEqual(anew.take(), ["route t"]);
    anew.ack("route");
    assert.deepEqual(anew.take(), []);
  });

  it("does not let a client wait for ever that starts with nothing", () => {
    const client = settled();
    client.publish(
      set("endpoint", "e", { bad: true }),
      set("endpoint", "fine"),
      set("route", "r", { bad: true }),
      set("route", "fine"),
    );
    client.ask("endpoint", { subscribe: ["e"] });
    client.nack("endpoint");
    client.ask("route", { subscribe: ["r"] });
    client.nack("route");
    assert.deepEqual(client.refused, ["endpoint e", "route r"]);

    const anew = new Scripted("delta", client.ground);
    anew.ask("endpoint", { subscribe: ["e", "fine"] });
    assert.deepEqual(anew.take(), ["endpoint fine -e"], "it takes a word for it that there is nothing");
    anew.ack("endpoint");
    anew.ask("route", { subscribe: ["r", "fine"] });
    assert.deepEqual(anew.take(), ["route fine"]);
    anew.ack("route");
    assert.deepEqual(anew.take(), ["route r"], "or it must refuse once, apart from the rest");
    anew.nack("route");
    anew.publish(set("route", "fine", { edition: 2 }));
    assert.deepEqual(anew.take(), ["route fine"]);
    assert.deepEqual(anew.refused, []);
  });

  it("is replaced by older content only where that depends on nothing else", () => {
    const client = settled();
    client.publish(set("listener", "l", { bad: true, route: "u" }));
    client.nack("listener");
    const anew = new Scripted("delta", client.ground);
    anew.ask("listener");
    assert.deepEqual(anew.take(), ["listener"], "the route table of the old listener may be gone");
  });

  it("is not sent to the siblings of a client that refused it", () => {
    const ground = new Ground();
    ground.publish(set("route", "t"));
    const [first, second] = [new Scripted("delta", ground), new Scripted("delta", ground)];
    for (const client of [first, second]) {
      client.ask("route", { subscribe: ["t"] });
      client.take();
    }
    first.ack("route");
    ground.publish(set("route", "t", { bad: true }));
    first.nack("route");
    second.ack("route");
    assert.deepEqual(second.take(), []);
  });

  it("does not set back a sibling that took it", () => {
    const ground = new Ground();
    ground.publish(set("route", "t"));
    const [first, second] = [new Scripted("delta", ground), new Scripted("delta", ground)];
    for (const client of [first, second]) {
      client.ask("route", { subscribe: ["t"] });
      client.ack("route");
    }
    ground.publish(set("route", "t", { edition: 2 }));
    second.ack("route");
    first.nack("route");
    for (const client of [first, second]) assert.deepEqual(client.take(), ["route t", "route t"]);
    ground.publish(set("route", "t"));
    assert.deepEqual(first.take(), [], "it has this");
    assert.deepEqual(second.take(), ["route t"]);
  });

  it("keeps the clusters that the old content needs", () => {
    const client = settled();
    client.publish(set("route", "t", { bad: true }), drop("cluster", "a"), drop("endpoint", "a"));
    client.nack("route");
    client.ground.clock.advance(10 * graceMs);
    assert.deepEqual(client.take(), ["route t"]);
    client.publish(set("route", "t", { edition: 2 }));
    client.ack("route");
    client.ground.clock.advance(2 * graceMs);
    assert.deepEqual(client.take(), ["route t", "cluster -a"]);
  });

  it("does not make a storm of a removal that is refused", () => {
    const client = settled();
    client.publish(drop("listener", "l"));
    for (let turn = 0; turn < 5; turn++) client.nack("listener");
    assert.deepEqual(client.take(), ["listener -l"]);
  });

  it("is sent again where it is asked to be tried again", () => {
    const client = settled();
    client.publish(set("listener", "l", { edition: 2 }));
    client.nack("listener", "cannot bind: address in use");
    client.ground.retry("listener", "l");
    assert.deepEqual(client.take(), ["listener l", "listener l"]);
  });
});

describe("virtual hosts by themselves", () => {
  const table = set("route", "t/80", { vhds: true });
  const host = (name: string) => set("virtualHost", name);

  function withTable(...hosts: string[]): Scripted {
    const client = new Scripted();
    client.publish(table, ...hosts.map(host));
    client.ask("cluster");
    client.ack("cluster");
    client.ask("listener");
    client.ack("listener");
    client.ask("route", { subscribe: ["t/80"] });
    client.take();
    client.ask("virtualHost");
    return client;
  }

  it("come when the client has taken their table", () => {
    const client = withTable("t/80/a", "t/80/b", "other/c");
    assert.deepEqual(client.take(), []);
    client.ack("route");
    assert.deepEqual(client.take(), ["virtualHost t/80/a t/80/b"]);
  });

  it("come without being asked for when there is another table: Envoy asks but once", () => {
    const client = withTable("t/80/a");
    client.ack("route");
    client.ack("virtualHost");
    client.publish(set("route", "u", { vhds: true }), host("u/x"));
    client.ask("route", { subscribe: ["u"] });
    client.take();
    client.ack("route");
    assert.deepEqual(client.take(), ["virtualHost u/x"]);
  });

  it("are said to be none where there are none: the listener waits for a word", () => {
    const client = withTable();
    client.ack("route");
    assert.deepEqual(client.take(), ["virtualHost -t/80/"]);
    client.ack("virtualHost");
    client.publish(host("t/80/a"));
    assert.deepEqual(client.take(), ["virtualHost t/80/a"]);
  });

  it("change one by one", () => {
    const client = withTable("t/80/a", "t/80/b");
    client.ack("route");
    client.ack("virtualHost");
    client.take();
    client.publish(set("virtualHost", "t/80/a", { edition: 2 }), drop("virtualHost", "t/80/b"), host("t/80/c"));
    assert.deepEqual(client.take(), ["virtualHost t/80/a t/80/c -t/80/b"]);
  });

  it("are taken back when the client lets go of their table", () => {
    const client = withTable("t/80/a");
    client.ack("route");
    client.ack("virtualHost");
    client.take();
    client.ask("route", { unsubscribe: ["t/80"] });
    assert.deepEqual(client.take(), ["virtualHost -t/80/a"]);
    client.ack("virtualHost");
    client.ask("route", { subscribe: ["t/80"] });
    client.ack("route");
    assert.deepEqual(client.take(), ["route t/80", "virtualHost t/80/a"]);
  });

  it("stay with connections that drain when their table is not published any more", () => {
    const client = withTable("t/80/a");
    client.ack("route");
    client.ack("virtualHost");
    client.take();
    client.publish(drop("route", "t/80"), drop("virtualHost", "t/80/a"));
    client.ground.clock.advance(10 * graceMs);
    assert.deepEqual(client.take(), []);
    client.ask("route", { unsubscribe: ["t/80"] });
    assert.deepEqual(client.take(), ["virtualHost -t/80/a"]);
  });

  it("are not sent again to a client that comes with them", () => {
    const client = withTable("t/80/a", "t/80/b");
    const again = new Scripted("delta", client.ground);
    again.ask("route", { subscribe: ["t/80"], has: { "t/80": versionOf("route", "t/80", { vhds: true }) } });
    again.ask("virtualHost", { has: { "t/80/a": versionOf("virtualHost", "t/80/a"), "t/80/b": "old" } });
    assert.deepEqual(again.take(), ["virtualHost t/80/b"]);
  });

  it("are taken back where the client claims some of a table that it does not have", () => {
    const client = withTable("t/80/a");
    const again = new Scripted("delta", client.ground);
    again.ask("route", { subscribe: ["t/80"] });
    again.ask("virtualHost", { has: { "t/80/a": versionOf("virtualHost", "t/80/a"), "gone/x": "v" } });
    assert.deepEqual(again.take(), ["route t/80"]);
    again.ack("route");
    assert.deepEqual(again.take(), ["virtualHost t/80/a -gone/x"], "and what it has of a new table is of no use to it");
  });

  it("do not depend on which is asked for first after a reconnect", () => {
    const client = withTable("t/80/a");
    const again = new Scripted("delta", client.ground);
    again.ask("virtualHost", { has: { "t/80/a": versionOf("virtualHost", "t/80/a"), "gone/x": "v" } });
    assert.deepEqual(again.take(), []);
    again.ask("route", { subscribe: ["t/80"], has: { "t/80": versionOf("route", "t/80", { vhds: true }) } });
    assert.deepEqual(again.take(), ["virtualHost -gone/x"]);
  });

  it("wait for the clusters and for their table's new content", () => {
    const client = withTable("t/80/a");
    client.ack("route");
    client.ack("virtualHost");
    client.take();
    client.publish(
      set("cluster", "b"),
      set("route", "t/80", { vhds: true, edition: 2 }),
      set("virtualHost", "t/80/a", { clusters: ["b"] }),
    );
    assert.deepEqual(client.take(), ["cluster b"]);
    client.ack("cluster");
    assert.deepEqual(client.take(), ["route t/80"]);
    client.ack("route");
    assert.deepEqual(client.take(), ["virtualHost t/80/a"]);
  });
});

describe("state of the world", () => {
  it("sends all clusters and listeners there are, and of other types what changed", () => {
    const client = new Scripted("sotw");
    client.publish(set("cluster", "a"), set("cluster", "b"), set("endpoint", "a"), set("endpoint", "b"));
    client.askSotw("cluster", []);
    client.ack("cluster");
    client.askSotw("endpoint", ["a", "b"]);
    client.ack("endpoint", undefined, ["a", "b"]);
    assert.deepEqual(client.take(), ["cluster a b", "endpoint a b"]);
    client.publish(set("cluster", "c"), set("endpoint", "b", { edition: 2 }));
    assert.deepEqual(client.take(), ["cluster a b c", "endpoint b"]);
  });

  it("leaves out what is gone, clusters after the routes", () => {
    const client = new Scripted("sotw");
    client.publish(set("cluster", "a"), set("cluster", "b"), set("route", "t"));
    client.askSotw("cluster", []);
    client.ack("cluster");
    client.askSotw("route", ["t"]);
    client.ack("route", undefined, ["t"]);
    client.take();
    client.publish(drop("cluster", "a"), set("cluster", "c"), set("route", "t", { edition: 2 }));
    assert.deepEqual(client.take(), ["cluster b c a"]);
    client.ack("cluster");
    client.ack("route", undefined, ["t"]);
    assert.deepEqual(client.take(), ["route t"]);
    client.ground.clock.advance(graceMs);
    assert.deepEqual(client.take(), ["cluster b c"]);
  });

  it("takes no notice of an answer to another response than the last", () => {
    const client = new Scripted("sotw");
    client.publish(set("endpoint", "a"));
    client.askSotw("endpoint", ["a"]);
    client.take();
    client.askSotw("endpoint", ["a", "b"], "old");
    client.publish(set("endpoint", "b"), set("endpoint", "a", { edition: 2 }));
    assert.deepEqual(client.take(), []);
    client.askSotw("endpoint", ["a", "b"]);
    assert.deepEqual(client.take(), ["endpoint a b"]);
  });

  it("follows the names that a client gives, one more and one less", () => {
    const client = new Scripted("sotw");
    client.publish(set("route", "t"), set("route", "u"));
    client.askSotw("route", ["t"]);
    client.ack("route", undefined, ["t"]);
    client.askSotw("route", ["t", "u"]);
    client.ack("route", undefined, ["t", "u"]);
    assert.deepEqual(client.take(), ["route t", "route u"]);
    client.askSotw("route", ["u"]);
    client.publish(set("route", "t", { edition: 2 }));
    assert.deepEqual(client.take(), []);
  });

  it("takes no names for all, until names were given", () => {
    const client = new Scripted("sotw");
    client.publish(set("listener", "l"), set("listener", "m"));
    client.askSotw("listener", []);
    client.ack("listener");
    client.askSotw("listener", ["m"]);
    client.publish(set("listener", "l", { edition: 2 }));
    assert.deepEqual(client.take(), ["listener l m", "listener m"]);
    client.askSotw("listener", []);
    client.publish(set("listener", "m", { edition: 2 }));
    assert.deepEqual(client.take(), []);
    client.askSotw("listener", ["*"]);
    assert.deepEqual(client.take(), ["listener l m"]);
  });

  it("keeps the old content of what is refused in the whole", () => {
    const client = new Scripted("sotw");
    client.publish(set("cluster", "a"), set("cluster", "b"));
    client.askSotw("cluster", []);
    client.ack("cluster");
    client.take();
    client.publish(set("cluster", "a", { bad: true }), set("cluster", "c"));
    client.nack("cluster", "Error adding/updating cluster(s) a: no");
    assert.deepEqual(client.take(), ["cluster a b c", "cluster a b c"]);
    client.ack("cluster");
    client.nack("cluster", "Error adding/updating cluster(s) a: no");
    client.take();
    client.publish(set("cluster", "d"));
    assert.deepEqual(client.take(), ["cluster a b c d"]);
    assert.deepEqual(client.refused, ["cluster a"]);
  });

  it("does not know virtual hosts by themselves", () => {
    const client = new Scripted("sotw");
    client.publish(set("virtualHost", "t/a"));
    assert.equal(client.askSotw("virtualHost", []), "ignored");
  });
});

describe("a closed stream", () => {
  it("says nothing more and leaves no timer", () => {
    const client = settled();
    client.publish(set("route", "t", { edition: 2 }), drop("cluster", "a"), drop("endpoint", "a"));
    client.stream.close();
    client.take();
    client.publish(set("endpoint", "a", { edition: 2 }));
    assert.equal(client.ground.clock.waiting(), 0);
    assert.deepEqual(client.take(), []);
  });
});
