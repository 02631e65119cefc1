import assert from "node:assert/strict";
import { Outflow } from "./outflow.ts";
import { createManualClock } from "./testing/manual-clock.ts";

function create() {
  const clock = createManualClock();
  const stuck: string[] = [];
  let rooms = 0;
  const outflow = new Outflow({
    clock,
    maxBytes: 100,
    slowMs: 1_000,
    stuckMs: 10_000,
    onRoom: () => rooms++,
  });
  const open = (name: string) => {
    const pipe = outflow.open((unread) => {
      stuck.push(`${name} ${unread}`);
      pipe.close();
    });
    return pipe;
  };
  return { clock, outflow, open, stuck, rooms: () => rooms };
}

describe("what is under way to clients", () => {
  it("is bounded, and has room again when it is read", () => {
    const { outflow, open, rooms } = create();
    const [one, two] = [open("one"), open("two")];
    one.wrote(60);
    assert.ok(outflow.hasRoom);
    two.wrote(60);
    assert.ok(!outflow.hasRoom);
    one.drained(30);
    assert.ok(outflow.hasRoom);
    assert.equal(rooms(), 1);
    two.close();
    one.close();
    assert.equal(rooms(), 3);
  });

  it("does not count where a client hardly reads, until it does", () => {
    const { clock, outflow, open, rooms } = create();
    const slow = open("slow");
    slow.wrote(120);
    clock.advance(999);
    assert.ok(!outflow.hasRoom);
    clock.advance(1);
    assert.ok(outflow.hasRoom);
    assert.equal(outflow.slow, 1);
    assert.equal(rooms(), 1);
    slow.drained(10);
    assert.equal(outflow.slow, 0);
    assert.ok(!outflow.hasRoom);
    slow.drained(110);
    assert.equal(clock.waiting(), 0);
  });

  it("ends with the connection of a client that reads nothing for long", () => {
    const { clock, open, stuck, outflow } = create();
    const [stuckOne, slow] = [open("stuck"), open("slow")];
    stuckOne.wrote(20);
    slow.wrote(50);
    clock.advance(9_000);
    slow.drained(10);
    clock.advance(1_000);
    assert.deepEqual(stuck, ["stuck 20"]);
    clock.advance(9_000);
    assert.deepEqual(stuck, ["stuck 20", "slow 40"]);
    assert.equal(outflow.slow, 0);
    assert.ok(outflow.hasRoom);
    assert.equal(clock.waiting(), 0);
    slow.drained(40);
    slow.wrote(1_000);
    assert.ok(outflow.hasRoom, "what is told after the end counts for nothing");
  });
});
