import assert from "node:assert/strict";
import type { DeploymentStatus } from "@gatewright/crd-types/apps/v1";
import type { ContainerStatus, PodStatus } from "@gatewright/crd-types/core/v1";
import { podTrouble, proxyStateOf } from "./proxy-state.ts";

const stateOf = (replicas: number, status: DeploymentStatus, troubles: readonly string[] = [], problem?: string) => {
  const spec = { replicas, selector: {}, template: { metadata: {} } };
  const state = proxyStateOf(
    { apiVersion: "apps/v1", kind: "Deployment", metadata: {}, spec, status },
    troubles,
    problem,
  );
  return state.kind === "pending" ? state.message : state.kind;
};

describe("proxyStateOf()", () => {
  it("is ready as soon as one proxy serves", () => {
    assert.equal(stateOf(3, { readyReplicas: 1, unavailableReplicas: 2 }, ["ImagePullBackOff"]), "ready");
  });

  it("says why none is", () => {
    assert.equal(stateOf(2, {}), "0 of 2 proxies are ready");
    assert.equal(stateOf(2, {}, ["Pull: no", "Pull: no"]), "0 of 2 proxies are ready: Pull: no");
    const quota = { type: "ReplicaFailure", status: "True", message: "pods are forbidden: exceeded quota" } as const;
    assert.equal(stateOf(1, { conditions: [quota] }), "0 of 1 proxies are ready: pods are forbidden: exceeded quota");
    assert.equal(stateOf(0, {}), "there are no proxies: their number is set to 0");
    assert.deepEqual(proxyStateOf(undefined, []), { kind: "pending", message: "the proxies are about to be deployed" });
  });

  it("is not ready while something that was asked for could not be applied, and keeps it short", () => {
    assert.equal(stateOf(1, { readyReplicas: 1 }, [], "exceeded quota"), "exceeded quota");
    assert.equal(stateOf(1, {}, ["x".repeat(5_000)]).length, 401);
  });
});

describe("podTrouble()", () => {
  const troubleOf = (status: PodStatus, more = {}) =>
    podTrouble({ apiVersion: "v1", kind: "Pod", metadata: { ...more }, status });
  const container = (status: Partial<ContainerStatus>): PodStatus => ({
    containerStatuses: [{ name: "envoy", ready: false, restartCount: 0, image: "", imageID: "", ...status }],
  });

  it("tells what keeps a pod from running", () => {
    const unscheduled = {
      type: "PodScheduled",
      status: "False",
      reason: "Unschedulable",
      message: "no nodes",
    } as const;
    assert.equal(troubleOf({ conditions: [unscheduled] }), "Unschedulable: no nodes");
    const waiting = { reason: "ErrImagePull", message: "not found" };
    assert.equal(troubleOf(container({ state: { waiting } })), "ErrImagePull: not found");
    const terminated = { exitCode: 1, reason: "Error" };
    assert.equal(
      troubleOf(container({ state: { waiting: { reason: "CrashLoopBackOff" } }, lastState: { terminated } })),
      "CrashLoopBackOff: it ended with Error 1",
    );
  });

  it("is silent of what is as it should be", () => {
    assert.equal(troubleOf({}), undefined);
    assert.equal(troubleOf(container({ state: { waiting: { reason: "ContainerCreating" } } })), undefined);
    assert.equal(troubleOf(container({ state: { running: {} } })), undefined);
    const failing = container({ state: { waiting: { reason: "ErrImagePull" } } });
    assert.equal(troubleOf(failing, { deletionTimestamp: "2026-01-01T00:00:00Z" }), undefined);
  });
});
