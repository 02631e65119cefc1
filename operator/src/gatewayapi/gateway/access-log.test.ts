import assert from "node:assert/strict";
import type { AccessLog, MeshConfig } from "@gatewright/crd-types/config/v1";
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

  it("has the default format where Envoy would refuse the stated one, and goes where it can be written", () => {
    assert.deepEqual(accessLogOf(mesh({ path: "/a", format: "%FOO%" }), settings), { path: "/a", origin });
    assert.deepEqual(accessLogOf(mesh({ json: { a: "100%" } }), settings), { path: "stdout", origin });
    assert.deepEqual(accessLogOf(mesh({ path: "/a", format: "x" }), settings, true), {
      path: "stdout",
      format: "x\n",
      origin,
    });
  });
});
