import assert from "node:assert/strict";
import type { DesiredStatus } from "../gatewayapi/index.ts";
import { createBoard, type RowChange } from "./board.ts";
import { createBoardFeed } from "./board-feed.ts";
import { context, routeStatus } from "./testing/rows.ts";

describe("createBoardFeed()", () => {
  it("shows what comes together at once, with turns for others in between", async () => {
    const statuses = new Map<string, DesiredStatus>();
    for (let index = 0; index < 25; index++) statuses.set(`HTTPRoute demo/r${index}`, routeStatus(`r${index}`));
    const board = createBoard(context());
    const shown: (readonly RowChange[])[] = [];
    const feed = createBoardFeed({
      board,
      statusOf: (key) => statuses.get(key),
      show: (changes) => shown.push(changes),
      sliceSize: 10,
    });
    let turns = 0;
    const count = () => {
      turns++;
      if (shown.length === 0) setImmediate(count);
    };
    setImmediate(count);
    feed.push(statuses.keys());
    await feed.settled();
    assert.deepEqual(
      shown.map(({ length }) => length),
      [25],
    );
    assert(turns >= 2, `${turns} turns`);
  });

  it("takes the latest of what changes while it works, and misses nothing", async () => {
    const board = createBoard(context());
    let problem: string | undefined;
    const feed = createBoardFeed({
      board,
      statusOf: (key) => routeStatus(key.slice(key.indexOf("/") + 1), problem),
      show: () => undefined,
      sliceSize: 1,
    });
    feed.push(["HTTPRoute demo/one", "HTTPRoute demo/two"]);
    problem = "Service demo/none is not there";
    feed.push(["HTTPRoute demo/one"]);
    await feed.settled();
    assert.deepEqual(
      board.routes().map(({ problems }) => problems.length),
      [1, 1],
    );
  });
});
