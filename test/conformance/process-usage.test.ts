import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { formatUsage, groups, watchUsage } from "./process-usage.ts";

const groupOf = (...command: readonly string[]) => groups.find(({ matches }) => matches(command))?.name;

describe("what programs in the lab use", () => {
  it("is counted for the operator and for Envoy, however they are started", () => {
    assert.equal(
      groupOf("/usr/local/bin/node", "--use-system-ca", "/usr/local/bin/gatewright", "operator"),
      "operator",
    );
    assert.equal(groupOf("node", "/app/operator/dist/main.js", "operator", "--log-level=debug"), "operator");
    assert.equal(groupOf("/usr/local/bin/node", "/usr/local/bin/gatewright", "module-agent"), undefined);
    assert.equal(groupOf("/usr/local/bin/envoy", "-c", "x"), "Envoy");
    assert.equal(groupOf("bash"), undefined);
  });

  it("is that of processes below one, while they run", async function () {
    if (process.platform !== "linux") this.skip();
    // A process that says when it has used some time, and goes on until it is told to end.
    const script = "const s=Date.now();while(process.cpuUsage().user<300e3);console.log(1);process.stdin.resume()";
    const child = spawn(process.execPath, ["-e", script, "marked"], { stdio: ["pipe", "pipe", "inherit"] });
    const usage = watchUsage(process.pid, 10, [{ name: "it", matches: (command) => command.at(-1) === "marked" }]);
    const nobody = watchUsage(child.pid ?? 0, 10, [{ name: "it", matches: () => true }]);
    await once(child.stdout, "data");
    const [own] = await usage.stop();
    const [none] = await nobody.stop();
    child.stdin.end();
    await once(child, "close");
    assert.equal(own?.most, 1);
    assert.ok(own.cpuSeconds >= 0.1 && own.cpuSeconds < 10, String(own.cpuSeconds));
    assert.ok(own.peakBytes > 10 << 20, String(own.peakBytes));
    assert.deepEqual(none, { name: "it", most: 0, cpuSeconds: 0, peakBytes: 0 });
  });

  it("is printed of those that ran", () => {
    const some = { name: "operator", most: 1, cpuSeconds: 12.34, peakBytes: 200 << 20 };
    const none = { name: "Envoy", most: 0, cpuSeconds: 0, peakBytes: 0 };
    assert.deepEqual(formatUsage([some, none], 100), ["operator  12.3 s CPU (12.3 % of one core), 200 MiB at most"]);
  });
});
