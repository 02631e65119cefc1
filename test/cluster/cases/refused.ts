// What Envoy refuses against all foresight, whichever of several operators it is connected to.
import assert from "node:assert/strict";
import { until } from "../../lab/testing/until.ts";
import { makePlace, ours, patienceMs, type Place } from "../support/case-places.ts";
import type { FaultLab } from "../support/fault-lab.ts";
import { gateway, meshConfig, route, systemNamespace } from "../support/manifests.ts";

export function describeRefused(lab: () => FaultLab): void {
  let place: Place;
  before(async () => {
    place = await makePlace(lab(), "refused");
  });
  after(() => place?.delete());

  const logging = (accessLog: object) => ({
    ...meshConfig(),
    metadata: { name: "logging" },
    spec: { proxy: { replicas: 1, drainSeconds: 1 }, telemetry: { accessLog } },
  });
  const inSystem = (item: object) =>
    lab().lab.kubectl(
      ["apply", "--server-side", "--force-conflicts", `--namespace=${systemNamespace}`, "--filename=-"],
      JSON.stringify(item),
    );
  const cluster = (item: object) => lab().lab.kubectl(["apply", "--filename=-"], JSON.stringify(item));

  /** The operator whose Envoys refuse something. */
  const teller = async (): Promise<string | undefined> => {
    const found = await lab().lab.kubectl([
      "get",
      "configmaps",
      `--namespace=${systemNamespace}`,
      "--selector=gatewright.dev/refusals=true",
      "--output=jsonpath={.items[*].metadata.name}",
    ]);
    return found === "" ? undefined : found.replace("gatewright-refusals-", "");
  };
  /** How often Envoys have refused something that this operator sent them. */
  const nacksOf = async (pod: string): Promise<number> => {
    const ip = (await lab().operators()).find((each) => each.pod === pod)?.ip ?? assert.fail(`${pod} does not run`);
    const { stdout } = await lab().lab.run(["curl", "--silent", "--max-time", "10", `http://${ip}:9090/metrics`]);
    const lines = stdout.split("\n").filter((line) => line.startsWith("gatewright_ads_nacks_total"));
    return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
  };
  /** Lets the lead go to whoever asks next, until it is not this one. */
  const leadsNot = (pod: string) =>
    until(
      `${pod} does not lead`,
      async () => {
        if ((await lab().leader()) !== pod) return true;
        const patch = JSON.stringify({ spec: { holderIdentity: "" } });
        await lab().lab.kubectl([
          "patch",
          "lease/gatewright",
          `--namespace=${systemNamespace}`,
          "--type=merge",
          "-p",
          patch,
        ]);
        return undefined;
      },
      patienceMs,
    );

  it("is said by status, event and metric, costs nothing else, and is taken as soon as it is mended", () =>
    lab().steadily(async () => {
      const mesh = `meshconfig/logging`;
      const message = () =>
        lab().lab.kubectl([
          "get",
          mesh,
          `--namespace=${systemNamespace}`,
          "--output=jsonpath={.status.conditions[?(@.type=='Accepted')].message}",
        ]);
      await inSystem(logging({ path: "/nowhere/at/all.log" }));
      await cluster({
        apiVersion: "gateway.networking.k8s.io/v1",
        kind: "GatewayClass",
        metadata: { name: "logging" },
        spec: {
          controllerName: ours,
          parametersRef: {
            group: "config.aether.io",
            kind: "MeshConfig",
            name: "logging",
            namespace: systemNamespace,
          },
        },
      });
      const own = gateway("logs");
      const { gatewayClassName: _, infrastructure: __, ...spec } = own.spec;
      await place.apply({ ...own, spec: { ...spec, gatewayClassName: "logging" } }, route("logs", { gateway: "logs" }));
      const address = await place.serves("logs");
      await lab().answers("logs.example", "200", { address });
      const isSaid = () =>
        until(
          "it is said",
          async () => ((await message()).includes("unable to open file") ? message() : undefined),
          patienceMs,
        );
      const said = await isSaid();
      assert.ok(said.length < 1_000 && !/typed_config \{/.test(said), said);
      const events = await until("an event", async () => {
        const found = await lab().lab.kubectl([
          "get",
          "events.v1.events.k8s.io",
          "--all-namespaces",
          "--field-selector=regarding.name=logging",
          "--output=jsonpath={.items[*].note}",
        ]);
        return found === "" ? undefined : found;
      });
      assert.match(events, /unable to open file/);
      assert.ok((await lab().metric("gatewright_ads_nacks_total")) > 0);
      assert.match(await lab().log(), /unable to open file/);
      // And not again and again.
      const nacks = await lab().metric("gatewright_ads_nacks_total");
      await lab().takesChanges("after-a-refusal");
      assert.equal(await lab().metric("gatewright_ads_nacks_total"), nacks);
      await inSystem(logging({ format: "%RESPONSE_CODE%\n" }));
      const isTaken = () => until("it is taken", async () => ((await message()).includes("unable") ? undefined : true));
      const nobodyTells = () =>
        until("nobody refuses anything", async () => ((await teller()) === undefined ? true : undefined), patienceMs);
      await isTaken();
      await lab().answers("logs.example", "200", { address });
      await nobodyTells();
      // Another leads than the one to which the Envoy has its stream.
      await inSystem(logging({ path: "/nowhere/again.log" }));
      const knows = await until("somebody tells", teller, patienceMs);
      await isSaid();
      await inSystem(logging({ format: "%RESPONSE_CODE%\n" }));
      await isTaken();
      await nobodyTells();
      await leadsNot(knows);
      await lab().counts("gatewright_leader", /^/, (sum) => sum === 1);
      await inSystem(logging({ path: "/nowhere/in/the/end.log" }));
      await isSaid();
      assert.equal(await teller(), knows);
      const leader = await lab().leader();
      assert.notEqual(leader, knows);
      // Where the one ends that knows, others hold it out, and no Envoy is asked again.
      const refusedBefore = await nacksOf(leader);
      await lab().lab.kubectl(["delete", "pod", knows, `--namespace=${systemNamespace}`]);
      await until("another tells", async () => ((await teller()) === leader ? true : undefined), patienceMs);
      await lab().rollout("deployment/gatewright", systemNamespace);
      await lab().takesChanges("after-who-knew");
      await isSaid();
      const running = await lab().operators();
      assert.equal(running.length, 2);
      for (const { pod } of running) assert.equal(await nacksOf(pod), pod === leader ? refusedBefore : 0, pod);
      await inSystem(logging({ format: "%RESPONSE_CODE%\n" }));
      await isTaken();
      await nobodyTells();
      await place.kubectl("delete", "gateway/logs", "httproute/logs");
      await lab().lab.kubectl(["delete", "gatewayclass", "logging"]);
      await lab().lab.kubectl(["delete", mesh, `--namespace=${systemNamespace}`]);
    }));
}
