import assert from "node:assert/strict";
import type { AccessLog, MeshConfig } from "@gatewright/crd-types/config/v1";
import { createGraph } from "../../lib/index.ts";
import type { Refusal } from "../inputs.ts";
import { effectivePart } from "../mesh-config.ts";
import { accessLogOf } from "./access-log.ts";

const settings = { controllerName: "c", rootNamespace: "r" };

const mesh = (accessLog: AccessLog | undefined): MeshConfig => ({
  apiVersion: "config.aether.io/v1",
  kind: "MeshConfig",
  metadata: { name: "mesh", namespace: "r" },
  spec: accessLog === undefined ? {} : { telemetry: { accessLog } },
});

describe("accessLogOf()", () => {
  it("is none unless somebody asks for one", () => {
    assert.equal(accessLogOf(undefined, settings), undefined);
    assert.equal(accessLogOf(mesh(undefined), settings), undefined);
  });

  const origin = { kind: "MeshConfig", namespace: "r", name: "mesh" };

  it("goes where the settings say, and the MeshConfig before them", () => {
    const withPath = { ...settings, accessLogPath: "/tmp/access.log" };
    assert.deepEqual(accessLogOf(mesh(undefined), withPath), { path: "/tmp/access.log" });
    assert.deepEqual(accessLogOf(mesh({ path: "/var/log/a" }), withPath), { path: "/var/log/a", origin });
  });

  it("goes to the standard output unless it says where", () => {
    assert.deepEqual(accessLogOf(mesh({}), settings), { path: "stdout", origin });
    assert.deepEqual(accessLogOf(mesh({ path: "/dev/stdout" }), settings), { path: "stdout", origin });
  });

  it("ends each line, which Envoy does not", () => {
    assert.deepEqual(accessLogOf(mesh({ format: "%PROTOCOL%" }), settings), {
      path: "stdout",
      format: "%PROTOCOL%\n",
      origin,
    });
  });

  it("may be JSON", () => {
    assert.deepEqual(accessLogOf(mesh({ json: { a: "b" } }), settings), { path: "stdout", json: { a: "b" }, origin });
  });

  it("has the default format where Envoy would refuse the stated one", () => {
    assert.deepEqual(accessLogOf(mesh({ path: "/a", format: "%FOO%" }), settings), { path: "/a", origin });
    assert.deepEqual(accessLogOf(mesh({ json: { a: "100%" } }), settings), { path: "stdout", origin });
  });

  it("has what else the MeshConfig says where Envoy cannot write to its path", () => {
    const quarantine = createGraph().source<Refusal>("quarantine");
    const stated = { ...mesh({ path: "/a", format: "x" }), metadata: { name: "mesh", namespace: "r", generation: 1 } };
    quarantine.set("MeshConfig r/mesh", { message: "cannot open", content: "1" });
    const log = accessLogOf(effectivePart(stated, quarantine), settings);
    assert.deepEqual(log, { path: "stdout", format: "x\n", origin });
    quarantine.set("MeshConfig r/mesh", { message: "cannot open", content: "0" });
    assert.equal(effectivePart(stated, quarantine), stated);
  });
});
