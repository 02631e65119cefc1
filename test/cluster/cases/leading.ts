// Several operators: all of them serve, one writes, and whoever hangs or dies is missed by nobody.
import assert from "node:assert/strict";
import { until } from "../../lab/testing/until.ts";
import { makePlace, patienceMs, type Place, says } from "../support/case-places.ts";
import type { FaultLab } from "../support/fault-lab.ts";
import { backend, gateway, route } from "../support/manifests.ts";

export function describeLeading(lab: () => FaultLab): void {
  let place: Place;
  before(async () => {
    place = await makePlace(lab(), "leading");
    await place.apply(gateway("led"), route("led", { gateway: "led" }), ...backend("second", 1));
    await lab().answers("led.example", "200", { address: await place.serves("led") });
  });
  after(() => place?.delete());

  const leaders = async (): Promise<readonly string[]> => {
    const found: string[] = [];
    for (const { pod, ip } of await lab().operators()) {
      const { stdout } = await lab().lab.run(["curl", "--silent", "--max-time", "1", `http://${ip}:9090/metrics`]);
      if (/^gatewright_leader 1$/m.test(stdout)) found.push(pod);
    }
    return found;
  };
  const toBackend = (name: string) => route("led", { gateway: "led", backend: name });
  /** What is written by one of the operators, as it says itself. */
  const writesOf = async (pod: string) => {
    const ip = (await lab().operators()).find((each) => each.pod === pod)?.ip;
    const { stdout } = await lab().lab.run(["curl", "--silent", "--max-time", "10", `http://${ip}:9090/metrics`]);
    const lines = stdout.split("\n").filter((line) => /^gatewright_(status|infra)_writes_total\{/.test(line));
    return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
  };

  it("has followers serve what the leader serves, and write nothing", async () => {
    const leader = await lab().leader();
    const follower = (await lab().operators()).find(({ pod }) => pod !== leader)?.pod ?? assert.fail("no follower");
    const before = await writesOf(follower);
    await lab().takesChanges("both-know");
    assert.equal(await writesOf(follower), before);
    assert.deepEqual(await leaders(), [leader]);
    const streams = await lab().metric("gatewright_ads_streams");
    assert.equal(streams, 3);
  });

  for (const signal of ["SIGSTOP", "SIGKILL"] as const)
    it(`serves and writes on while the leader is struck by ${signal}, and never has two`, () =>
      lab().steadily(async () => {
        const leader = await lab().leader();
        const address = await place.serves("led");
        const seen: (readonly string[])[] = [];
        await lab().signalProcesses(leader, signal);
        const strickenMs = performance.now();
        try {
          await place.apply(toBackend("missing"));
          await lab().answers("led.example", "500", { address });
          const servedMs = performance.now() - strickenMs;
          assert.ok(servedMs < 60_000, `served after ${servedMs} ms`);
          await until(
            "another leads",
            async () => {
              const found = await leaders();
              seen.push(found);
              return found.some((pod) => pod !== leader) ? true : undefined;
            },
            patienceMs,
          );
          await place.when("httproute/led", says("ResolvedRefs", "False", "BackendNotFound"));
          await place.apply(toBackend("second"));
          await place.when("httproute/led", says("ResolvedRefs", "True"));
          await lab().answers("led.example", "200", { address });
        } finally {
          if (signal === "SIGSTOP") await lab().signalProcesses(leader, "SIGCONT");
        }
        const { metadata } = await place.read("httproute/led");
        if (signal === "SIGSTOP")
          await until("the one that hung follows", async () => {
            const found = await leaders();
            seen.push(found);
            return (await isAwake(leader)) && !found.includes(leader) ? true : undefined;
          });
        for (const each of seen) assert.ok(each.length < 2, each.join(" "));
        await lab().takesChanges("after-the-strike");
        assert.equal((await place.read("httproute/led")).metadata.resourceVersion, metadata.resourceVersion);
        await lab().counts("gatewright_leader", /^/, (sum) => sum === 1);
      }));

  const isAwake = async (pod: string) => {
    const ip = (await lab().operators()).find((each) => each.pod === pod)?.ip;
    if (ip === undefined) return true;
    const { stdout } = await lab().lab.run(["curl", "--silent", "--max-time", "2", `http://${ip}:8081/readyz`]);
    return stdout !== "";
  };
}
