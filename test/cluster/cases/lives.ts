// Gateways, classes and namespaces that come, change and go, with and without an operator that sees it, and beside another implementation.
import assert from "node:assert/strict";
import { until } from "../../lab/testing/until.ts";
import { makePlace, ours, patienceMs, type Place, says } from "../support/case-places.ts";
import type { FaultLab } from "../support/fault-lab.ts";
import { gateway, gatewayClass, route, systemNamespace } from "../support/manifests.ts";

const gatewayApi = "gateway.networking.k8s.io/v1";
const theirController = "example.com/other";
const classOf = (name: string, controllerName: string) => ({
  apiVersion: gatewayApi,
  kind: "GatewayClass",
  metadata: { name },
  spec: { controllerName },
});
const ofClass = (name: string, gatewayClassName: string) => {
  const made = gateway(name);
  return { ...made, spec: { ...made.spec, gatewayClassName } };
};
const condition = (type: string, message = "") => ({
  type,
  status: "True",
  reason: type,
  message,
  lastTransitionTime: "2026-01-01T00:00:00Z",
  observedGeneration: 1,
});
const theirEntry = (name: string, message = "") => ({
  parentRef: { name },
  controllerName: theirController,
  conditions: [condition("Accepted", message)],
});

export function describeLives(lab: () => FaultLab): void {
  const address = (value: string) => ({ address: value });
  const isEmpty = (place: Place) =>
    until("nothing is left of what was made", async () => {
      const made = await place.made();
      if (made.length > 0) throw new Error(made.join(" "));
      return true;
    });
  const entriesOf = async (place: Place, name: string) =>
    ((await place.read(`httproute/${name}`)).status?.parents ?? []).map(({ controllerName }) => controllerName);
  const scaleOperator = async (replicas: number) => {
    const deployment = ["deployment/gatewright", `--namespace=${systemNamespace}`];
    await lab().lab.kubectl(["scale", ...deployment, `--replicas=${replicas}`]);
    if (replicas > 0) return lab().rollout("deployment/gatewright", systemNamespace);
    await until("no operator", async () => ((await lab().operators()).length === 0 ? true : undefined), patienceMs);
  };
  const inPlace = async (name: string, work: (place: Place) => Promise<unknown>) => {
    const place = await makePlace(lab(), name);
    try {
      await lab().steadily(() => work(place));
      await lab().takesChanges(`after-${name}`);
    } finally {
      // What is left would be counted by tests that follow.
      await place.delete();
    }
  };

  before(async () => {
    await lab().lab.kubectl(["apply", "--filename=-"], JSON.stringify(classOf("other", theirController)));
  });
  after(() => lab().lab.kubectl(["delete", "gatewayclass", "other", "--ignore-not-found"]));

  it("leaves another implementation's Gateways alone, and bears with what it writes, doubles included", () =>
    inPlace("beside", async (place) => {
      const both = route("both", { gateway: "own" });
      const parentRefs = [{ name: "own" }, { name: "theirs" }];
      await place.apply(gateway("own"), ofClass("theirs", "other"), { ...both, spec: { ...both.spec, parentRefs } });
      const stands = await place.serves("own");
      await lab().answers("both.example", "200", address(stands));
      await place.report("gateway/theirs", { conditions: [condition("Accepted"), condition("Programmed")] });
      const doubled = [theirEntry("theirs", "one"), theirEntry("theirs", "two"), theirEntry("theirs", "two")];
      const own = (await place.read("httproute/both")).status?.parents ?? [];
      assert.deepEqual(
        own.map(({ parentRef }) => parentRef.name),
        ["own"],
      );
      await place.report("httproute/both", { parents: [...doubled, ...own, theirEntry("theirs", "three")] });
      const theirs = await place.read("gateway/theirs");
      const shared = await place.read("httproute/both");
      // A change of what is reported: only our own entry is another.
      await place.apply({
        ...route("both", { gateway: "own", backend: "missing" }),
        spec: {
          ...route("both", { gateway: "own", backend: "missing" }).spec,
          parentRefs,
        },
      });
      const { status } = await place.when("httproute/both", says("ResolvedRefs", "False", "BackendNotFound"));
      assert.deepEqual(
        status?.parents?.filter(({ controllerName }) => controllerName !== ours),
        shared.status?.parents?.filter(({ controllerName }) => controllerName !== ours),
      );
      assert.equal((await entriesOf(place, "both")).filter((name) => name === ours).length, 1);
      assert.equal((await place.read("gateway/theirs")).metadata.resourceVersion, theirs.metadata.resourceVersion);
      assert.deepEqual(
        (await place.made()).filter((name) => /theirs/.test(name)),
        [],
      );
      assert.equal(
        await lab().lab.kubectl(["get", "gatewayclass", "other", "--output=jsonpath={.status.conditions[0].reason}"]),
        "Pending",
      );
    }));

  it("lets go of a Gateway whose class becomes another's, and takes it again when it comes back", () =>
    inPlace("changed", async (place) => {
      await place.apply(gateway("moves"), route("moves", { gateway: "moves" }));
      await lab().answers("moves.example", "200", address(await place.serves("moves")));
      await place.apply(ofClass("moves", "other"));
      await isEmpty(place);
      await until("our entry is gone", async () => ((await entriesOf(place, "moves")).length === 0 ? true : undefined));
      const mine = [condition("Accepted", "theirs")];
      await place.report("gateway/moves", { conditions: mine, addresses: [{ type: "IPAddress", value: "192.0.2.9" }] });
      await place.report("httproute/moves", { parents: [theirEntry("moves")] });
      const left = await place.read("gateway/moves");
      await lab().takesChanges("amid");
      assert.equal((await place.read("gateway/moves")).metadata.resourceVersion, left.metadata.resourceVersion);
      await place.apply(gateway("moves"));
      await lab().answers("moves.example", "200", address(await place.serves("moves")));
      await place.when("httproute/moves", says("Accepted", "True"));
      assert.deepEqual((await entriesOf(place, "moves")).toSorted(), [theirController, ours]);
    }));

  it("goes on serving the Gateways of a class that is deleted, and knows them again when it is back", () =>
    inPlace("classless", async (place) => {
      const brief = "brief";
      const cls = classOf(brief, ours);
      await lab().lab.kubectl(["apply", "--filename=-"], JSON.stringify(cls));
      await place.apply(ofClass("orphan", brief), route("orphan", { gateway: "orphan" }));
      const stands = await place.serves("orphan");
      await lab().answers("orphan.example", "200", address(stands));
      const made = await place.made();
      await lab().lab.kubectl(["delete", "gatewayclass", brief]);
      await lab().takesChanges("without-class");
      const isAsBefore = async () => {
        assert.deepEqual(await place.made(), made);
        assert.equal(await lab().ask("orphan.example", address(stands)), "200");
      };
      await isAsBefore();
      await scaleOperator(0);
      await scaleOperator(2);
      await lab().takesChanges("after-a-restart");
      await isAsBefore();
      await lab().lab.kubectl(["apply", "--filename=-"], JSON.stringify(cls));
      await place.apply(route("later", { gateway: "orphan" }));
      await lab().answers("later.example", "200", address(stands));
      assert.equal(await place.serves("orphan"), stands);
      // Another's now: nothing of ours stays.
      await lab().lab.kubectl(["delete", "gatewayclass", brief]);
      await scaleOperator(0);
      await scaleOperator(2);
      await lab().takesChanges("before-another");
      await isAsBefore();
      await lab().lab.kubectl(["apply", "--filename=-"], JSON.stringify(classOf(brief, theirController)));
      await isEmpty(place);
      await lab().lab.kubectl(["delete", "gatewayclass", brief]);
    }));

  it("cleans up after Gateways that went or became another's while no operator saw it", () =>
    inPlace("unseen", async (place) => {
      for (const name of ["goes", "moved", "stays"]) await place.apply(gateway(name), route(name, { gateway: name }));
      for (const name of ["goes", "moved", "stays"]) {
        await lab().answers(`${name}.example`, "200", address(await place.serves(name)));
        await place.when(`httproute/${name}`, says("Accepted", "True"));
      }
      await scaleOperator(0);
      await place.kubectl("delete", "gateway", "goes");
      await place.apply(ofClass("moved", "other"), ofClass("new", gatewayClass));
      await scaleOperator(2);
      await until(
        "only what belongs to those that stay is left",
        async () => {
          const made = await place.made();
          if (!made.every((name) => /stays|new/.test(name))) throw new Error(made.join(" "));
          return true;
        },
        patienceMs,
      );
      for (const name of ["goes", "moved"])
        await until(`our entry in ${name} is gone`, async () =>
          (await entriesOf(place, name)).length === 0 ? true : undefined,
        );
      await place.serves("new");
      assert.equal(await lab().ask("stays.example", address(await place.serves("stays"))), "200");
    }));

  it("lets a namespace go with everything in it, and begins anew in one of the same name", async () => {
    const errorsBefore = (await lab().log()).split("\n").filter((line) => /ERROR/.test(line)).length;
    await lab().steadily(async () => {
      for (let times = 0; times < 2; times++) {
        const place = await makePlace(lab(), "brief");
        await place.apply(gateway("all"), route("all", { gateway: "all" }));
        await lab().answers("all.example", "200", address(await place.serves("all")));
        const { metadata } = await place.read("gateway/all");
        assert.deepEqual(metadata.finalizers ?? [], []);
        await place.delete();
      }
      await lab().takesChanges("after-a-namespace");
      const errors = (await lab().log()).split("\n").filter((line) => /ERROR/.test(line));
      assert.deepEqual(errors.slice(errorsBefore), []);
      assert.equal(await lab().metric("gatewright_infra_troubled"), 0);
      assert.equal(await lab().metric("gatewright_status_writes_pending"), 0);
    });
  });

  it("takes no foreign Service of the name that it needs, nor deletes it, and goes on when it is gone", () =>
    inPlace("taken", async (place) => {
      const name = `web-${gatewayClass}`;
      const foreign = { apiVersion: "v1", kind: "Service", metadata: { name }, spec: { ports: [{ port: 1 }] } };
      await place.apply(foreign, gateway("web"), route("web", { gateway: "web" }));
      await place.when("gateway/web", says("Programmed", "False", undefined, /exists already/));
      const { metadata } = await place.read(`service/${name}`);
      await place.kubectl("delete", "gateway", "web");
      await isEmpty(place);
      assert.equal((await place.read(`service/${name}`)).metadata.resourceVersion, metadata.resourceVersion);
      await place.apply(gateway("web"));
      await place.when("gateway/web", says("Programmed", "False", undefined, /exists already/));
      await place.kubectl("delete", "service", name);
      await lab().answers("web.example", "200", address(await place.serves("web")));
    }));

  it("serves Gateways of the longest names, and of names that differ only at their end", () =>
    inPlace("long", async (place) => {
      const long = `${"a".repeat(200)}.${"b".repeat(51)}`;
      const names = [`${long}1`.slice(-253), `${long}2`.slice(-253)];
      for (const name of names)
        await place.apply(gateway(name), {
          ...route("long", { gateway: name }),
          metadata: { name: `to-${name.slice(-1)}` },
        });
      const found = [];
      for (const name of names) {
        const { status } = await place.when(`gateway/${name}`, says("Programmed", "True"));
        const value = status?.addresses?.[0]?.value ?? "";
        await lab().answers("long.example", "200", address(value));
        found.push(value);
      }
      assert.equal(new Set(found).size, 2);
    }));

  it("puts finalizers on nothing", async () => {
    const all = await lab().lab.kubectl([
      "get",
      "gatewayclasses,gateways,httproutes,secrets,services,deployments",
      "--all-namespaces",
      '--output=jsonpath={range .items[*]}{.kind} {.metadata.name} {.metadata.finalizers}{"\\n"}{end}',
    ]);
    // Kubernetes itself holds back a Service until its load balancer is gone.
    const held = all
      .split("\n")
      .filter((line) => line.includes("[") && !line.includes("service.kubernetes.io/load-balancer-cleanup"));
    assert.deepEqual(held, []);
  });
}
