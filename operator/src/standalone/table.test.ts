import assert from "node:assert/strict";
import { stripVTControlCharacters } from "node:util";
import { createBoard } from "./board.ts";
import { renderTable } from "./table.ts";
import { context, gatewayStatus, listenerSetStatus, ready, routeStatus, strangerStatus } from "./testing/rows.ts";

function render(board = filled(), { columns = 120, rows = 40, color = false } = {}): string {
  const lines = renderTable({
    title: "gatewright standalone",
    gateways: board.gateways(),
    routes: board.routes(),
    problems: board.problems(),
    size: { columns, rows },
    color,
  });
  return `${lines.join("\n")}\n`;
}

function filled(member = ready) {
  const board = createBoard(context(member));
  board.update([
    ["Gateway demo/web", gatewayStatus],
    ["HTTPRoute demo/app", routeStatus("app")],
    ["HTTPRoute demo/broken", routeStatus("broken", "Service demo/none is not there")],
  ]);
  return board;
}

describe("renderTable()", () => {
  it("shows Gateways with their addresses, routes with problems first, and problems with their place", () => {
    assert.equal(
      render(),
      `gatewright standalone

GATEWAY   LISTENER  ADDRESS                 HOST                ROUTES  STATE
demo/web  http      http://127.0.0.1:10080  *                   2       serving; port 80 needs privileges
          https     https://127.0.0.1:8443  secure.example.com  0       not serving

ROUTE                  GATEWAY   HOST NAMES       STATE
HTTPRoute demo/broken  demo/web  *                in part
HTTPRoute demo/app     demo/web  app.example.com  attached

PROBLEMS (2)
✗ web.yaml:1 Gateway demo/web listener https: Secret demo/cert is not there (InvalidCertificateRef)
✗ routes.yaml:7 HTTPRoute demo/broken: Service demo/none is not there (BackendNotFound)
`,
    );
  });

  it("shows ListenerSets below the Gateway that serves them", () => {
    const board = createBoard(context());
    board.update([
      ["ListenerSet apps/stranger", strangerStatus],
      ["ListenerSet apps/more", listenerSetStatus],
      ["Gateway demo/web", gatewayStatus],
    ]);
    assert.equal(
      render(board, { columns: 140 }),
      `gatewright standalone

GATEWAY                    LISTENER  ADDRESS                 HOST                ROUTES  STATE
demo/web                   http      http://127.0.0.1:10080  *                   2       serving; port 80 needs privileges
                           https     https://127.0.0.1:8443  secure.example.com  0       not serving
ListenerSet apps/more      http      http://127.0.0.1:10080  *                   1       serving; port 80 needs privileges
                           https     https://127.0.0.1:8443  secure.example.com  0       not serving
ListenerSet apps/stranger                                                                not accepted

no routes yet

PROBLEMS (3)
✗ sets.yaml:3 ListenerSet apps/stranger: Gateway demo/web takes no ListenerSets of namespace apps (NotAllowed)
✗ sets.yaml:3 ListenerSet apps/more listener https: port 8443 is taken by Gateway demo/web (HostnameConflict)
✗ web.yaml:1 Gateway demo/web listener https: Secret demo/cert is not there (InvalidCertificateRef)
`,
    );
  });

  it("says what a Gateway waits for", () => {
    const table = render(filled({ ...ready, state: { kind: "pending", message: "Envoy is starting" } }));
    assert.match(table, /http:\/\/127\.0\.0\.1:10080 .* Envoy is starting/);
  });

  it("says that there is nothing", () => {
    const board = createBoard(context());
    assert.equal(render(board), "gatewright standalone\n\nno Gateways of ours yet\n\nno routes yet\n");
  });

  it("counts what does not fit", () => {
    const board = filled();
    board.update(Array.from({ length: 1000 }, (_, index) => [`HTTPRoute demo/r${index}`, routeStatus(`r${index}`)]));
    const lines = render(board, { rows: 24 }).trimEnd().split("\n");
    assert(lines.length <= 24, `${lines.length} lines`);
    const hidden = lines.map((line) => /… and (\d+) more routes/.exec(line)?.[1]).find((count) => count !== undefined);
    const shown = lines.filter((line) => line.startsWith("HTTPRoute ")).length;
    assert.equal(Number(hidden) + shown, 1002);
  });

  it("keeps lines within the terminal, whatever their colours", () => {
    for (const color of [false, true]) {
      const lines = stripVTControlCharacters(render(filled(), { columns: 40, color })).split("\n");
      for (const line of lines) assert(line.length <= 40, line);
    }
  });
});

describe("createBoard()", () => {
  it("tells only what looks different", () => {
    const board = filled();
    assert.deepEqual(board.update([["HTTPRoute demo/app", { ...routeStatus("app"), generation: 2 }]]), []);
    const [change, ...others] = board.update([["HTTPRoute demo/broken", routeStatus("broken")]]);
    assert.deepEqual(others, []);
    assert.equal(change?.before?.problems.length, 1);
    assert.equal(change?.after?.problems.length, 0);
  });

  it("forgets what is gone", () => {
    const board = filled();
    board.update([["HTTPRoute demo/broken", undefined]]);
    assert.deepEqual(
      board.routes().map(({ name }) => name),
      ["HTTPRoute demo/app"],
    );
    assert.equal(board.problems().length, 1);
  });
});
