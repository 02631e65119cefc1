// What a change costs does not grow with what else there is: the operator as it runs in a cluster, beside a real API server and a real Envoy.
// It counts, and measures no time. It needs programs whose first build takes a quarter of an hour, so it runs where GATEWRIGHT_LAB says so: 1
// where it must run, auto where all is there.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { findProgram } from "../../lab/build.ts";
import { runCommand } from "../../lab/run-command.ts";
import { bedPrograms } from "./api-bed.ts";
import type { Cell } from "./cell.ts";
import { readResults } from "./results.ts";
import type { Figures } from "./workload.ts";

const wish = process.env["GATEWRIGHT_LAB"];

async function whyNot(): Promise<string | undefined> {
  if (wish === "1") return undefined;
  if (wish !== "auto") return "GATEWRIGHT_LAB=auto runs it where npm run lab -- build has";
  if (process.platform !== "linux") return "it needs Linux";
  const asRoot = process.getuid?.() === 0 ? [] : ["--map-root-user"];
  const tried = await runCommand(["unshare", "--net", "--mount", ...asRoot, "true"]).catch(() => undefined);
  if (tried?.code !== 0) return "it needs root or unprivileged user namespaces";
  for (const program of bedPrograms)
    if (!(await findProgram(program)).built) return `${program.name} has not been built: npm run lab -- build`;
  return undefined;
}

describe("the operator in a cluster", function () {
  this.timeout(20 * 60_000);
  let folder: string | undefined;
  let cells: readonly Cell[] = [];

  before(async function () {
    const reason = await whyNot();
    if (reason !== undefined) {
      console.error(`      not run: ${reason}`);
      this.skip();
    }
    folder = await mkdtemp(path.join(tmpdir(), "gatewright-smoke-"));
    const main = path.resolve(import.meta.dirname, "../main.ts");
    const args = ["--conditions=source", main, "cluster", "--smoke", "--sources", `--out=${folder}`];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (output += text));
    const [code] = await once(child, "close");
    assert.equal(code, 0, output.slice(-4_000));
    cells = (await readResults([folder])).flatMap((results) => results.cells);
  });

  after(async () => {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  const at = (routes: number, workload: string): Figures => {
    const found = cells
      .find((cell) => cell.routes === routes)
      ?.outcomes.find((outcome) => outcome.workload === workload)?.figures;
    assert.ok(found, `${workload} with ${routes} routes was not measured`);
    return found;
  };

  /** With a thousand routes no more than with a hundred, but for so much: others' events fall into the one or the other. */
  const stays = (workload: string, figure: string, more: number) => {
    const [few = Number.NaN, many = Number.NaN] = [100, 1_000].map((routes) => at(routes, workload)[figure]);
    assert.ok(many <= few * (1 + more), `${workload}, ${figure}: ${few} with 100 routes, ${many} with 1000`);
  };

  for (const workload of ["W2 new route", "W2 changed route", "W4", "W8 checked"]) {
    it(`does no more, sends no more and writes no more for ${workload}`, () => {
      stays(workload, "computations", 0.1);
      stays(workload, "resources", 0.1);
      stays(workload, "bytes", 0.1);
      for (const routes of [100, 1_000]) {
        const { routeStatusWrites = 0, gatewayStatusWrites = 0, wrong } = at(routes, workload);
        assert.ok(
          routeStatusWrites + gatewayStatusWrites <= 2,
          `${routeStatusWrites} and ${gatewayStatusWrites} writes`,
        );
        assert.equal(wrong, 0);
      }
    });
  }

  it("sends two kilobytes at most for a new route", () => {
    for (const routes of [100, 1_000]) assert.ok((at(routes, "W2 new route")["bytes"] ?? Number.NaN) <= 2_000);
  });

  it("answers every request while a route changes", () => {
    for (const routes of [100, 1_000]) {
      const { answers = 0, wrong } = at(routes, "W3");
      assert.equal(wrong, 0);
      assert.ok(answers >= 20, `${answers} answers`);
    }
  });

  it("sends Envoy nothing that it refuses", () => {
    for (const routes of [100, 1_000]) assert.equal(at(routes, "W8 checked")["refused"], 0);
  });

  it("writes each status once for a load", () => {
    for (const routes of [100, 1_000]) assert.equal(at(routes, "W1")["routeStatusWrites"], routes);
  });

  it("neither sends nor writes when nothing happens", () => {
    for (const routes of [100, 1_000]) {
      const { resources, statusWrites } = at(routes, "W12");
      assert.deepEqual({ resources, statusWrites }, { resources: 0, statusWrites: 0 });
    }
  });
});
