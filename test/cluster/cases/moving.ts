// Endpoints that come and go, and rules that change, under load: the Gateway that is asked all the time leads to `echo`.
import assert from "node:assert/strict";
import { until } from "../../lab/testing/until.ts";
import { patienceMs } from "../support/case-places.ts";
import type { FaultLab } from "../support/fault-lab.ts";
import { backend, route } from "../support/manifests.ts";

export function describeMoving(lab: () => FaultLab): void {
  const apply = async (name: string, drains: boolean) => {
    await lab().apply(...backend(name, 2, { drains }));
    await lab().rollout(`deployment/${name}`);
    await settled(name);
  };
  before(() => apply("echo", true));
  after(() => apply("echo", false));

  /** As many pods as there are to be: those that end are gone. */
  const settled = (name: string) =>
    until(
      `the old pods of ${name} are gone`,
      async () => {
        const pods = await lab().kubectl("get", "pods", `--selector=app=${name}`, "--output=name");
        const wanted = Number(await lab().field(`deployment/${name}`, ".spec.replicas"));
        return pods.split("\n").filter((line) => line !== "").length === wanted ? true : undefined;
      },
      patienceMs,
    );

  it("fails no request while a backend is rolled out, again and again", () =>
    lab().steadily(async () => {
      for (let times = 0; times < 3; times++) {
        await lab().kubectl("rollout", "restart", "deployment/echo");
        await lab().rollout("deployment/echo");
        await settled("echo");
      }
    }));

  it("fails no request while a backend becomes more and less", () =>
    lab().steadily(async () => {
      for (const replicas of [5, 1, 3, 2]) {
        await lab().kubectl("scale", "deployment/echo", `--replicas=${replicas}`);
        await lab().rollout("deployment/echo");
        await settled("echo");
      }
    }));

  it("fails no request while rules are put first, backends are swapped, and backends are new", () =>
    lab().steadily(async () => {
      await apply("second", true);
      const base = route("steady", { gateway: "steady" });
      const to = (path: string, name: string) => ({
        matches: [{ path: { type: "PathPrefix", value: path } }],
        backendRefs: [{ name, port: 8080 }],
      });
      for (let flips = 0; flips < 20; flips++) {
        const rules =
          flips % 2 === 0
            ? [to("/new", "second"), to("/x", "second"), to("/", "second")]
            : [to("/x", "second"), to("/", "echo")];
        await lab().apply({ ...base, spec: { ...base.spec, rules } });
      }
      await lab().apply(route("steady", { gateway: "steady" }));
      await lab().says("httproute/steady", { ResolvedRefs: "True" });
      await lab().remove("deployment/second", "service/second");
    }));

  it("answers 503 as long as a backend has no endpoint, and says nothing against the route", async () => {
    await lab().apply(...backend("lone", 1), route("lone", { gateway: "steady", backend: "lone" }));
    for (let times = 0; times < 2; times++) {
      await lab().kubectl("scale", "deployment/lone", "--replicas=1");
      await lab().answers("lone.example", "200");
      await lab().kubectl("scale", "deployment/lone", "--replicas=0");
      await lab().answers("lone.example", "503");
      await lab().says("httproute/lone", { Accepted: "True", ResolvedRefs: "True" });
    }
    await lab().remove("httproute/lone", "deployment/lone", "service/lone");
  });

  it("asks pods that are ending where there are no others, and those that are not ready never", async () => {
    const [deployment, service] = backend("ending", 1, { drains: true });
    assert.ok(deployment && service);
    await lab().apply(deployment, service, route("ending", { gateway: "steady", backend: "ending" }));
    await lab().answers("ending.example", "200");
    await lab().kubectl("scale", "deployment/ending", "--replicas=0");
    await until("it is ending", async () => {
      const found = await lab().kubectl(
        "get",
        "endpointslices",
        "--selector=kubernetes.io/service-name=ending",
        "--output=jsonpath={.items[*].endpoints[*].conditions}",
      );
      return /"terminating":true/.test(found) ? true : undefined;
    });
    assert.equal(await lab().ask("ending.example"), "200");
    await lab().answers("ending.example", "503");
    await lab().remove("httproute/ending", "deployment/ending", "service/ending");
  });
}
