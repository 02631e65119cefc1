// What costs nothing: an idle cluster, an operator that starts anew, and edits that change nothing.
import assert from "node:assert/strict";
import { until } from "../../lab/testing/until.ts";
import { makePlace, patienceMs, type Place, says } from "../support/case-places.ts";
import type { FaultLab } from "../support/fault-lab.ts";
import { gateway, route, systemNamespace } from "../support/manifests.ts";

/** All that Gatewright writes to, but the Lease and events. */
const writtenKinds =
  "gatewayclasses,gateways,listenersets,httproutes,grpcroutes,tlsroutes,tcproutes,udproutes,backendtlspolicies,httpfilters,meshconfigs," +
  "deployments,services,secrets,configmaps,serviceaccounts,poddisruptionbudgets,horizontalpodautoscalers";
const ofOperator = new RegExp(`^(Deployment|PodDisruptionBudget) ${systemNamespace}/`);
const idleMs = 60_000;

export function describeQuiet(lab: () => FaultLab): void {
  let place: Place;
  before(async () => {
    place = await makePlace(lab(), "quiet");
    const routes = Array.from({ length: 50 }, (_, i) => route(`quiet-${i}`, { gateway: "quiet" }));
    await place.apply(gateway("quiet"), ...routes, route("broken", { gateway: "quiet", backend: "missing" }));
    await lab().answers("quiet-49.example", "200", { address: await place.serves("quiet") });
    for (const { metadata } of routes) await place.when(`httproute/${metadata.name}`, says("Accepted", "True"));
  });
  after(() => place?.delete());

  /** Each object with its version. What Kubernetes says of the operator's own pods does not count. */
  async function versions(): Promise<readonly string[]> {
    const text = await lab().lab.kubectl([
      "get",
      writtenKinds,
      "--all-namespaces",
      '--output=jsonpath={range .items[*]}{.kind} {.metadata.namespace}/{.metadata.name} {.metadata.resourceVersion}{"\\n"}{end}',
    ]);
    return text.split("\n").filter((line) => !ofOperator.test(line));
  }
  const sent = () => lab().metric("gatewright_ads_responses_total");
  const written = async () =>
    (await lab().metric("gatewright_status_writes_total")) + (await lab().metric("gatewright_infra_writes_total"));
  /** Nothing is under way any more: the versions of two looks are the same. */
  async function rest(): Promise<readonly string[]> {
    let last: readonly string[] = [];
    return until(
      "nothing is under way",
      async () => {
        const now = await versions();
        const isSame = now.join("\n") === last.join("\n");
        last = now;
        return isSame && (await lab().metric("gatewright_status_writes_pending")) === 0 ? now : undefined;
      },
      patienceMs,
    );
  }
  async function idle(): Promise<void> {
    const endMs = performance.now() + idleMs;
    await until("time has passed", async () => (performance.now() > endMs ? true : undefined), 2 * idleMs);
  }

  it("writes nothing and sends nothing while nothing happens", async () => {
    const before = await rest();
    const [pushes, writes, { methods }] = [await sent(), await written(), await lab().order()];
    await idle();
    assert.deepEqual(await versions(), before);
    assert.equal(await sent(), pushes);
    assert.equal(await written(), writes);
    const { methods: later } = await lab().order();
    // The Lease alone, by PUT.
    for (const method of ["POST", "PATCH", "DELETE"]) assert.equal(later[method], methods[method], method);
    const renewals = (later["PUT"] ?? 0) - (methods["PUT"] ?? 0);
    assert.ok(renewals > 10 && renewals < 60, `${renewals} renewals`);
  });

  it("writes nothing when all operators start anew, and sends proxies nothing that they have", async () => {
    const before = await rest();
    await lab().steadily(async () => {
      await lab().lab.kubectl(["rollout", "restart", "deployment/gatewright", `--namespace=${systemNamespace}`]);
      await lab().rollout("deployment/gatewright", systemNamespace);
      await lab().counts("gatewright_ads_streams", /^/, (sum) => sum === 3);
      await lab().counts("gatewright_leader", /^/, (sum) => sum === 1);
      assert.deepEqual(await rest(), before);
    });
    assert.equal(await written(), 0);
    assert.equal(await lab().metric("gatewright_ads_resources_total"), 0);
  });

  it("sends and writes nothing for a thousand annotations, and does not grow", async () => {
    const before = (await rest()).filter((line) => !/quiet-0 /.test(line));
    const [pushes, writes] = [await sent(), await written()];
    const path = "/apis/gateway.networking.k8s.io/v1/namespaces/quiet/httproutes/quiet-0";
    const edits = async (count: number) =>
      lab().against({ paths: [path], does: { kind: "annotate" } }, (rival) =>
        until(`${count} edits`, async () => ((await rival()).writes >= count ? true : undefined), patienceMs),
      );
    const memory = () => lab().metric("process_resident_memory_bytes");
    await edits(200);
    const grown = await memory();
    await lab().steadily(() => edits(1_000));
    assert.equal(await sent(), pushes);
    assert.equal(await written(), writes);
    assert.deepEqual(
      (await rest()).filter((line) => !/quiet-0 /.test(line)),
      before,
    );
    const growth = (await memory()) - grown;
    assert.ok(growth < 60 * 1024 ** 2, `two operators grew by ${growth} bytes`);
  });
}
