import assert from "node:assert/strict";
import { loadText } from "../source/index.ts";
import { withDefaultClass } from "./default-class.ts";
import { createLooseEnds, type LooseEnds } from "./loose-ends.ts";
import { placeIn } from "./manifests.ts";
import { formatProblem } from "./rows.ts";

const ours = "gatewright.dev/gateway-controller";
const gateway = (className = "gatewright") => `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: web, namespace: demo}
spec: {gatewayClassName: ${className}, listeners: [{name: http, port: 80, protocol: HTTP}]}
`;
const route = (spec: string) => `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: app, namespace: demo}
spec: {${spec}}
`;
const filter = `apiVersion: config.aether.io/v1
kind: HTTPFilter
metadata: {name: tag, namespace: demo}
spec:
  filter: envoy.filters.http.header_to_metadata
  typedConfig: {"@type": type.googleapis.com/envoy.extensions.filters.http.header_to_metadata.v3.Config}
`;
const service = (name: string, spec: string) => `apiVersion: v1
kind: Service
metadata: {name: ${name}, namespace: demo}
spec: {${spec}}
`;
const slice = (labels: string) => `apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: app-1, namespace: demo, labels: {${labels}}}
addressType: IPv4
endpoints: [{addresses: [10.0.0.1]}]
ports: [{port: 80}]
`;

function read(...documents: readonly string[]) {
  const loaded = loadText("a.yaml", Buffer.from(documents.join("---\n")));
  assert.deepEqual(loaded.problems, []);
  const looseEnds = createLooseEnds(ours, placeIn(loaded));
  looseEnds.apply([withDefaultClass("gatewright", ours).initial, ...loaded.changes]);
  return { ...looseEnds, changes: loaded.changes };
}

const texts = (looseEnds: LooseEnds) => looseEnds.problems().map(formatProblem);

describe("createLooseEnds()", () => {
  const cases: readonly [name: string, documents: readonly string[], said: readonly string[]][] = [
    ["nothing of what leads somewhere", [gateway(), route("parentRefs: [{name: web}]")], []],
    [
      "a Gateway that is not there",
      [route("parentRefs: [{name: web}, {name: x, namespace: z}]")],
      [
        "a.yaml:1 HTTPRoute demo/app spec.parentRefs[0]: Gateway demo/web does not exist",
        "a.yaml:1 HTTPRoute demo/app spec.parentRefs[1]: Gateway z/x does not exist",
      ],
    ],
    [
      "a route without a Gateway",
      [route("hostnames: [a.example.com]")],
      ["a.yaml:1 HTTPRoute demo/app spec.parentRefs: it names no Gateway and has no effect"],
    ],
    [
      "parents of other kinds",
      [route("parentRefs: [{group: '', kind: Service, name: a}, {group: a.b, kind: C, name: d}]")],
      [
        "a.yaml:1 HTTPRoute demo/app spec.parentRefs[0]: routes of Services (mesh) are not served yet",
        "a.yaml:1 HTTPRoute demo/app spec.parentRefs[1]: nothing can be attached to a C of a.b",
      ],
    ],
    [
      "a class that is not there",
      [gateway("other")],
      ["a.yaml:1 Gateway demo/web spec.gatewayClassName: GatewayClass other does not exist"],
    ],
    [
      "a class of others",
      [
        gateway("other"),
        "apiVersion: gateway.networking.k8s.io/v1\nkind: GatewayClass\nmetadata: {name: other}\nspec: {controllerName: a.b/c}\n",
      ],
      ["a.yaml:1 Gateway demo/web spec.gatewayClassName: GatewayClass other is that of another controller, a.b/c"],
    ],
    ["a filter that nobody uses", [filter], ["a.yaml:1 HTTPFilter demo/tag: no route and no listener refers to it"]],
    [
      "nothing of a filter that is used",
      [
        gateway(),
        filter,
        route(
          "parentRefs: [{name: web}], rules: [{filters: [{type: ExtensionRef, extensionRef: {group: config.aether.io, kind: HTTPFilter, name: tag}}]}]",
        ),
      ],
      [],
    ],
    ...["Gateway", "ListenerSet"].map((kind): [string, readonly string[], readonly string[]] => [
      `nothing of what a listener of a ${kind} uses, but for what it lacks`,
      [
        gateway(),
        filter,
        service("auth", "ports: [{port: 80}]"),
        JSON.stringify({
          apiVersion: "gateway.networking.k8s.io/v1",
          kind,
          metadata: { name: "filtering", namespace: "demo" },
          spec: {
            ...(kind === "Gateway" ? { gatewayClassName: "gatewright" } : { parentRef: { name: "web" } }),
            listeners: [
              {
                name: "http",
                port: 81,
                protocol: "HTTP",
                filters: {
                  requests: [
                    {
                      type: "ExtensionRef",
                      extensionRef: { group: "config.aether.io", kind: "HTTPFilter", name: "tag" },
                    },
                    {
                      type: "ExternalAuth",
                      externalAuth: { protocol: "HTTP", http: {}, backendRef: { name: "auth", port: 80 } },
                    },
                  ],
                },
              },
            ],
          },
        }),
      ],
      ["a.yaml:13 Service demo/auth: no EndpointSlice says where it runs, and so its requests are answered 503"],
    ]),
    [
      "a Service without endpoints, where a route refers to it",
      [
        gateway(),
        route("parentRefs: [{name: web}], rules: [{backendRefs: [{name: app, port: 80}, {name: out, port: 80}]}]"),
        service("app", "ports: [{port: 80}]"),
        service("out", "type: ExternalName, externalName: example.com"),
        service("unused", "ports: [{port: 80}]"),
      ],
      ["a.yaml:11 Service demo/app: no EndpointSlice says where it runs, and so its requests are answered 503"],
    ],
    [
      "nothing of a Service with endpoints",
      [
        gateway(),
        route("parentRefs: [{name: web}], rules: [{backendRefs: [{name: app, port: 80}]}]"),
        service("app", "ports: [{port: 80}]"),
        slice("kubernetes.io/service-name: app"),
      ],
      [],
    ],
    [
      "endpoints of no Service",
      [slice("app: x"), slice("kubernetes.io/service-name: app").replace("app-1", "app-2")],
      [
        "a.yaml:1 EndpointSlice demo/app-1 metadata.labels: it has no label kubernetes.io/service-name, and so its endpoints are no Service's",
        "a.yaml:8 EndpointSlice demo/app-2 metadata.labels.kubernetes.io/service-name: Service demo/app does not exist",
      ],
    ],
  ];
  for (const [name, documents, said] of cases)
    it(`tells ${name}`, () => assert.deepEqual(texts(read(...documents)), said));

  it("says where things stand when they have moved", () => {
    let line = 1;
    const looseEnds = createLooseEnds(ours, () => `a.yaml:${line}`);
    looseEnds.apply(loadText("a.yaml", Buffer.from(gateway("other"))).changes);
    line = 5;
    looseEnds.refreshPlaces();
    assert.match(texts(looseEnds).join(), /^a\.yaml:5 Gateway demo\/web /);
  });

  it("follows edits, and keeps its list while nothing of it changes", () => {
    const looseEnds = read(route("parentRefs: [{name: web}]"));
    const before = looseEnds.problems();
    assert.equal(before.length, 1);
    looseEnds.apply(looseEnds.changes);
    assert.equal(looseEnds.problems(), before);
    const { changes } = loadText("b.yaml", Buffer.from(gateway()));
    looseEnds.apply(changes);
    assert.deepEqual(looseEnds.problems(), []);
    looseEnds.apply(changes.map((change) => ({ ...change, object: undefined })));
    assert.deepEqual(looseEnds.problems(), before);
  });
});
