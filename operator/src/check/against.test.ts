import assert from "node:assert/strict";
import { createFakeApiServer, failure } from "../kubernetes/testing/index.ts";
import { compareWithCluster } from "./against.ts";
import { check } from "./check.ts";

const service = (name: string, port: number) =>
  `apiVersion: v1\nkind: Service\nmetadata: {name: ${name}}\nspec:\n  ports:\n  - port: ${port}\nstatus: {}\n---\n`;

const judge = (text: string) =>
  check([{ name: "a.yaml", bytes: Buffer.from(text) }], {
    channel: "experimental",
    isComplete: false,
    controllerName: "gatewright.dev/gateway-controller",
    gatewayClass: "gatewright",
    rootNamespace: "gatewright-system",
    nowMs: 0,
  });

type Answer = (name: string) => ReturnType<typeof failure> | undefined;

function serverThat(answer: Answer) {
  const api = createFakeApiServer();
  api.intercept(({ method, path }) => {
    if (path === "/api/v1") {
      const resources = [
        { name: "services", kind: "Service", namespaced: true },
        { name: "services/status", kind: "Service", namespaced: true },
      ];
      return { status: 200, body: { resources } };
    }
    if (method !== "PATCH") return failure(404, "NotFound", "not found");
    return answer(path.split("/").at(-1) ?? "") ?? { status: 200, body: {} };
  });
  return api;
}

async function told(text: string, answer: Answer): Promise<readonly string[]> {
  const findings = await compareWithCluster(judge(text), serverThat(answer));
  return findings.map(({ severity, line, column, rule, name, field, message }) =>
    [severity, `${line}:${column}`, rule, name, field, message].filter((part) => part !== "").join(" "),
  );
}

const invalid = (message: string, causes: readonly object[] = []) => {
  const { status, body } = failure(422, "Invalid", message);
  return { status, body: { ...(body as object), details: { causes } } };
};

describe("compareWithCluster()", () => {
  it("asks for a dry run of each object as it is written, but for its status", async () => {
    const api = serverThat(() => undefined);
    assert.deepEqual(await compareWithCluster(judge(service("a", 80)), api), []);
    const [, request] = api.requests;
    assert.deepEqual(request, {
      method: "PATCH",
      path: "/api/v1/namespaces/default/services/a",
      query: { dryRun: "All", fieldManager: "gatewright-check", force: true, fieldValidation: "Strict" },
      contentType: "application/apply-patch+yaml",
      body: {
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: "a", namespace: "default" },
        spec: { ports: [{ port: 80 }] },
      },
    });
  });

  it("tells what only the server refuses, field by field", async () => {
    const causes = [{ field: "spec.ports[0].port", message: "Invalid value: 80: taken" }];
    assert.deepEqual(await told(service("a", 80), () => invalid("all of it", causes)), [
      "error 6:5 server-refuses a spec.ports[0].port Invalid value: 80: taken",
    ]);
    const denied = failure(403, "Forbidden", 'admission webhook "x" denied the request: no');
    assert.deepEqual(await told(service("a", 80), () => denied), [
      'error 1:1 server-refuses a 403 Forbidden: admission webhook "x" denied the request: no',
    ]);
  });

  it("knows an apply that does not fit the schema for a verdict", async () => {
    const message =
      "failed to create typed patch object (default/a; /v1, Kind=Service): .spec.ports[0].port: expected numeric";
    assert.deepEqual(await told(service("a", 80), () => failure(500, "InternalError", message)), [
      "error 6:5 server-refuses a spec.ports[0].port expected numeric",
    ]);
    const several = failure(
      500,
      "InternalError",
      `${message.replace("): .spec", "): errors:\n  .spec")}\n  .spec.x: field not declared in schema`,
    );
    assert.deepEqual(await told(service("a", 80), () => several), [
      "error 4:1 server-refuses a spec.x field not declared in schema",
      "error 6:5 server-refuses a spec.ports[0].port expected numeric",
    ]);
  });

  it("tells what only we refuse", async () => {
    assert.deepEqual(await told(service("a", 0), () => undefined), [
      "warning 1:1 server-accepts a the cluster takes it, and it is refused here",
    ]);
    assert.deepEqual(await told(service("a", 0), () => invalid("of course")), []);
  });

  it("does not take for a verdict what is none", async () => {
    for (const response of [
      failure(404, "NotFound", 'namespaces "default" not found'),
      failure(403, "Forbidden", 'services "a" is forbidden: User "x" cannot patch'),
      failure(503, "ServiceUnavailable", "later"),
    ])
      assert.match((await told(service("a", 80), () => response))[0] ?? "", /^warning 1:1 server-not-asked a /);
  });

  it("tells of kinds that the cluster does not have", async () => {
    const route =
      "apiVersion: gateway.networking.k8s.io/v1\nkind: GatewayClass\nmetadata: {name: c}\nspec: {controllerName: a.b/c}\n";
    assert.deepEqual(await told(route, () => undefined), [
      "error 1:1 server-refuses c the cluster has no kind GatewayClass in gateway.networking.k8s.io/v1",
    ]);
    const other = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\n";
    assert.deepEqual(await told(other, () => undefined), [
      "warning 1:1 server-not-asked w the cluster has no kind Widget in example.com/v1",
    ]);
  });
});
