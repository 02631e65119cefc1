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

  it("goes where the settings say, and the MeshConfig before them", () => {
    const withPath = { ...settings, accessLogPath: "/tmp/access.log" };
    assert.deepEqual(accessLogOf(mesh(undefined), withPath), { path: "/tmp/access.log" });
    assert.deepEqual(accessLogOf(mesh({ path: "/var/log/a" }), withPath), { path: "/var/log/a" });
  });

  it("goes to the standard output unless it says where", () => {
    assert.deepEqual(accessLogOf(mesh({}), settings), { path: "stdout" });
    assert.deepEqual(accessLogOf(mesh({ path: "/dev/stdout" }), settings), { path: "stdout" });
  });

  it("ends each line, which Envoy does not", () => {
    assert.deepEqual(accessLogOf(mesh({ format: "%PROTOCOL%" }), settings), { path: "stdout", format: "%PROTOCOL%\n" });
  });

  it("may be JSON", () => {
    assert.deepEqual(accessLogOf(mesh({ json: { a: "b" } }), settings), { path: "stdout", json: { a: "b" } });
  });
});
