import assert from "node:assert/strict";
import { routeTableOf, Snapshot } from "./snapshot.ts";
import { makeResource } from "./testing/content.ts";

const one = makeResource("cluster", "a", { edition: 1 });
const two = makeResource("cluster", "a", { edition: 2 });

describe("a snapshot", () => {
  it("says what made a difference", () => {
    const snapshot = new Snapshot();
    assert.equal(snapshot.published, false);
    assert.deepEqual(snapshot.apply([{ type: "cluster", name: "a", resource: one }]), [
      { type: "cluster", name: "a", before: undefined, good: undefined, after: one },
    ]);
    assert.deepEqual(snapshot.apply([{ type: "cluster", name: "a", resource: { ...one } }]), []);
    assert.deepEqual(snapshot.apply([{ type: "cluster", name: "b", resource: undefined }]), []);
    snapshot.accepted("cluster", one);
    assert.deepEqual(snapshot.apply([{ type: "cluster", name: "a", resource: undefined }]), [
      { type: "cluster", name: "a", before: one, good: one, after: undefined },
    ]);
    assert.equal(snapshot.size("cluster"), 0);
  });

  it("is published with the first word, even if there is nothing", () => {
    const snapshot = new Snapshot();
    snapshot.apply([]);
    assert.equal(snapshot.published, true);
  });

  it("knows what was accepted last", () => {
    const snapshot = new Snapshot();
    snapshot.apply([{ type: "cluster", name: "a", resource: one }]);
    assert.equal(snapshot.goodOf("cluster", "a"), undefined);
    snapshot.accepted("cluster", one);
    snapshot.apply([{ type: "cluster", name: "a", resource: two }]);
    assert.equal(snapshot.goodOf("cluster", "a"), one);
    assert.ok(!snapshot.isProven("cluster", two));
    snapshot.accepted("cluster", two);
    assert.equal(snapshot.goodOf("cluster", "a"), two);
  });

  it("takes an answer to older content as that", () => {
    const snapshot = new Snapshot();
    snapshot.apply([{ type: "cluster", name: "a", resource: one }]);
    snapshot.apply([{ type: "cluster", name: "a", resource: two }]);
    snapshot.accepted("cluster", one);
    assert.equal(snapshot.goodOf("cluster", "a"), one);
    assert.ok(!snapshot.isProven("cluster", two));
  });

  it("keeps virtual hosts by route table", () => {
    const snapshot = new Snapshot();
    const host = (name: string) => makeResource("virtualHost", name);
    for (const name of ["team-a/gw|80+vhds/a.example", "team-a/gw|80+vhds/*.example", "team-a/gw|81/a.example"])
      snapshot.apply([{ type: "virtualHost", name, resource: host(name) }]);
    assert.deepEqual(
      [...snapshot.hostsOf("team-a/gw|80+vhds")],
      ["team-a/gw|80+vhds/a.example", "team-a/gw|80+vhds/*.example"],
    );
    snapshot.apply([{ type: "virtualHost", name: "team-a/gw|81/a.example", resource: undefined }]);
    assert.deepEqual([...snapshot.hostsOf("team-a/gw|81")], []);
    assert.equal(routeTableOf("no-slash"), "");
  });
});
