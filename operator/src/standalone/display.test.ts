import assert from "node:assert/strict";
import { createLogger } from "../lib/index.ts";
import { createBoard } from "./board.ts";
import { createLogDisplay } from "./display.ts";
import { createTerminalDisplay } from "./terminal-display.ts";
import { context, gatewayStatus, routeStatus } from "./testing/rows.ts";

describe("createLogDisplay()", () => {
  const lines: string[] = [];
  const logger = createLogger({ level: "info", format: "text", write: (line) => lines.push(line.trimEnd().slice(9)) });
  beforeEach(() => (lines.length = 0));

  it("says what changes, and nothing twice", () => {
    const board = createBoard(context());
    const display = createLogDisplay(logger);
    display.show(board.update([["Gateway demo/web", gatewayStatus]]));
    display.show(board.update([["HTTPRoute demo/app", routeStatus("app", "Service demo/none is not there")]]));
    display.show(board.update([["HTTPRoute demo/app", routeStatus("app")]]));
    display.show(board.refreshGateways());
    display.show(board.update([["HTTPRoute demo/app", undefined]]));
    assert.deepEqual(lines, [
      "INFO  Gateway demo/web serves http at http://127.0.0.1:10080 (port 80 needs privileges)",
      "WARN  web.yaml:1 Gateway demo/web listener https: Secret demo/cert is not there (InvalidCertificateRef)",
      "INFO  HTTPRoute demo/app is attached to demo/web for app.example.com",
      "WARN  routes.yaml:7 HTTPRoute demo/app: Service demo/none is not there (BackendNotFound)",
      "INFO  solved: routes.yaml:7 HTTPRoute demo/app: Service demo/none is not there (BackendNotFound)",
      "INFO  HTTPRoute demo/app is gone",
    ]);
  });

  it("counts what is too much to read", () => {
    const board = createBoard(context());
    const statuses = Array.from(
      { length: 500 },
      (_, index) => [`HTTPRoute demo/r${index}`, routeStatus(`r${index}`)] as const,
    );
    createLogDisplay(logger).show(board.update(statuses));
    assert.equal(lines.length, 21);
    assert.match(lines.at(-1) ?? "", /and 480 more changes/);
  });

  it("says problems of files when they come and when they are solved", () => {
    const display = createLogDisplay(logger);
    display.showFileProblems([{ place: "a.yaml:3", message: "not YAML" }]);
    display.showFileProblems([{ place: "a.yaml:3", message: "not YAML" }]);
    display.showFileProblems([]);
    assert.deepEqual(lines, ["WARN  a.yaml:3: not YAML", "INFO  solved: a.yaml:3: not YAML"]);
  });
});

describe("a problem that moves to another line", () => {
  it("is no news in the log, and stands right on the table", async () => {
    const lines: string[] = [];
    const logger = createLogger({ level: "info", format: "text", write: (line) => lines.push(line) });
    let line = 7;
    const board = createBoard({ ...context(), place: () => `routes.yaml:${line}` });
    const status = routeStatus("app", "Service demo/none is not there");
    const display = createLogDisplay(logger);
    display.show(board.update([["HTTPRoute demo/app", status]]));
    display.showFileProblems([{ place: "a.yaml:3:4", message: "not YAML" }]);
    const said = lines.length;
    line = 9;
    assert.deepEqual(board.troubled(), ["HTTPRoute demo/app"]);
    display.show(board.update(board.troubled().map((key) => [key, status] as const)));
    display.showFileProblems([{ place: "a.yaml:5:4", message: "not YAML" }]);
    assert.equal(lines.length, said);
    assert.deepEqual(
      board.problems().map(({ place }) => place),
      ["routes.yaml:9"],
    );
  });
});

describe("createTerminalDisplay()", () => {
  function setUp() {
    const screen: string[] = [];
    let resize = () => {};
    const board = createBoard(context());
    const display = createTerminalDisplay({
      terminal: {
        columns: 100,
        rows: 30,
        write: (text) => screen.push(text),
        on: (_, listener) => (resize = listener),
        off: () => undefined,
      },
      board: () => board,
      title: () => "title",
      color: false,
      intervalMs: 0,
    });
    const drawn = async (count: number) => {
      while (screen.length < count) await new Promise((resolve) => setImmediate(resolve));
    };
    return { screen, board, display, drawn, resize: () => resize() };
  }

  it("draws once for a burst of changes, and in the same place the next time", async () => {
    const { screen, board, display, drawn } = setUp();
    display.show(board.update([["Gateway demo/web", gatewayStatus]]));
    display.show(board.update([["HTTPRoute demo/app", routeStatus("app")]]));
    await drawn(1);
    assert.equal(screen.length, 1);
    assert.match(screen[0] ?? "", /HTTPRoute demo\/app/);
    const height = (screen[0] ?? "").split("\n").length - 1;
    display.showFileProblems([{ message: "not YAML" }]);
    await drawn(2);
    assert(screen[1]?.startsWith(`\u001B[${height}A`), JSON.stringify(screen[1]?.slice(0, 10)));
    assert.match(screen[1] ?? "", /✗ not YAML/);
    display.close();
  });

  it("lets log lines pass above the table", async () => {
    const { screen, board, display, drawn } = setUp();
    display.log("early\n");
    assert.equal(screen.pop()?.endsWith("early\n"), true);
    display.show(board.update([["Gateway demo/web", gatewayStatus]]));
    await drawn(1);
    display.log("late\n");
    assert.match(screen[1] ?? "", /late\n\ntitle\n/);
    display.close();
  });

  it("draws again when the terminal's size changes", async () => {
    const { screen, resize, drawn, display } = setUp();
    resize();
    await drawn(1);
    assert.match(screen[0] ?? "", /title/);
    display.close();
  });
});
