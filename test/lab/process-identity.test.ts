import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  childrenOf,
  hasEndedWithin,
  identify,
  isAlive,
  parseNumbers,
  parseStat,
  pidOnHost,
  signalProcess,
} from "./process-identity.ts";

describe("parseStat()", () => {
  it("is not misled by the name of a program", () => {
    const fields = ["S", "7", ...Array.from({ length: 17 }, () => "0"), "12345", "0"];
    assert.deepEqual(parseStat(`42 (odd) name (x) ${fields.join(" ")}`), {
      state: "S",
      parent: 7,
      startTicks: "12345",
    });
  });
});

describe("parseNumbers()", () => {
  it("gives the number in each namespace, the innermost last", () => {
    assert.deepEqual(parseNumbers("Name:\tx\nNSpid:\t1234\t56\t7\nNSpgid:\t1\n"), [1234, 56, 7]);
  });
});

// There is no /proc elsewhere, and no lab.
if (process.platform === "linux") {
  describe("identify()", () => {
    it("finds a process of our own namespace by its number", async () => {
      assert.equal(await pidOnHost(process.pid, process.pid), process.pid);
    });

    it("knows a process until it has ended", async () => {
      const child = spawn("sleep", ["60"]);
      const exited = once(child, "exit");
      const identity = await identify(child.pid ?? 0);
      assert.ok(identity);
      assert.equal(await isAlive(identity), true);
      assert.deepEqual(await childrenOf(process.pid), [child.pid]);
      // The same number, of an earlier process.
      assert.equal(await isAlive({ ...identity, startTicks: "1" }), false);
      await signalProcess({ ...identity, startTicks: "1" }, "SIGKILL");
      assert.equal(await hasEndedWithin(identity, 0), false);
      await signalProcess(identity, "SIGTERM");
      assert.equal(await hasEndedWithin(identity, 10_000), true);
      await exited;
      assert.deepEqual(await childrenOf(process.pid), []);
    });
  });
}
