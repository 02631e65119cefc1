// The benchmark's claim without its clock: what a change costs does not depend on how much else there is. Work, bytes and statuses are
// counted, which is the same on every machine.
import assert from "node:assert/strict";
import { silentLogger } from "../../operator/src/lib/index.ts";
import { createReconciler } from "../../operator/src/reconcile/index.ts";
import type { Change } from "../../operator/src/store/index.ts";
import { makeCertificate } from "../support/certificates.ts";
import { admit, checkExtension, controllerName, placed, rootNamespace, toChange } from "../support/translation.ts";
import {
  endpointSlice,
  gateway,
  gatewayClass,
  gatewayName,
  type KubernetesObject,
  namespace,
  route,
  routeName,
  secret,
  service,
  services,
} from "./cluster/objects.ts";

const proxy = `${namespace}/${gatewayName}`;
const { certificate, privateKey } = makeCertificate({ dnsNames: ["secure.example.com"] });
const port = 3000;

type Cost = {
  readonly computations: number;
  readonly resources: number;
  readonly bytes: number;
  readonly statuses: readonly string[];
};

const put = (object: KubernetesObject, generation = 1): Change =>
  toChange(admit({ ...object, metadata: { ...object.metadata, generation } }));

const gone = (object: KubernetesObject): Change => ({ ...put(object), object: undefined });

/** So many routes, translated and handed over; then tells what each change on top of it costs. */
async function openScene(routes: number) {
  let resources = 0;
  let bytes = 0;
  let statuses: readonly string[] = [];
  const reconciler = createReconciler({
    logger: silentLogger,
    settings: { controllerName, rootNamespace },
    checkExtension,
    maxDelayMs: 0,
    publisher: {
      publish: (_, changes) => {
        resources += changes.length;
        for (const { resource } of changes) bytes += resource?.body.length ?? 0;
      },
      remove: () => undefined,
      retry: () => undefined,
      onVerdict: () => () => undefined,
    },
  });
  reconciler.onRound((round) => {
    statuses = [...statuses, ...round.statuses];
  });
  reconciler.synced();
  reconciler.place(proxy, placed("192.0.2.1"));
  reconciler.report(proxy, { kind: "ready" });
  const cost = async (changes: readonly Change[]): Promise<Cost> => {
    const before = { computations: reconciler.computations(), resources, bytes };
    statuses = [];
    reconciler.apply(changes);
    await reconciler.settled();
    return {
      computations: reconciler.computations() - before.computations,
      resources: resources - before.resources,
      bytes: bytes - before.bytes,
      statuses: statuses.toSorted(),
    };
  };
  await cost(
    [
      gatewayClass("gatewright", controllerName),
      secret(certificate, privateKey),
      ...services.map(service),
      ...services.map((name) => endpointSlice(name, port)),
      gateway("gatewright"),
      ...Array.from({ length: routes }, (_, index) => route(routeName(index))),
    ].map((object) => put(object)),
  );
  return { cost, close: reconciler.close };
}

type Edit = {
  readonly name: string;
  readonly changes: readonly Change[];
  readonly resources: number;
  readonly maxBytes: number;
  readonly statuses: readonly string[];
};

const ofGateway = `Gateway ${proxy}`;
const ofRoute = (name: string) => `HTTPRoute ${namespace}/${name}`;

/** In this order, each on top of those before it. */
const edits: readonly Edit[] = [
  {
    name: "a new route",
    changes: [put(route("new"))],
    resources: 1,
    maxBytes: 1_000,
    statuses: [ofGateway, ofRoute("new")],
  },
  {
    name: "another header of a route",
    changes: [put(route("r7", { version: "1" }), 2)],
    resources: 1,
    maxBytes: 1_000,
    statuses: [ofRoute("r7")],
  },
  {
    name: "a route that goes to another Service, known but not yet used",
    changes: [put(route("r8", { backend: "app-b" }), 2)],
    resources: 3,
    maxBytes: 2_000,
    statuses: [ofRoute("r8")],
  },
  {
    name: "another port of the backends of all routes",
    changes: [put(endpointSlice("app-a", port + 1))],
    resources: 1,
    maxBytes: 200,
    statuses: [],
  },
  {
    name: "an annotation, from which nothing follows",
    changes: [put({ ...route("r9"), metadata: { ...route("r9").metadata, labels: { a: "b" } } })],
    resources: 0,
    maxBytes: 0,
    statuses: [],
  },
  { name: "what is there already", changes: [put(route("r10"))], resources: 0, maxBytes: 0, statuses: [] },
  {
    name: "a route that goes",
    changes: [gone(route("new"))],
    resources: 1,
    maxBytes: 0,
    statuses: [ofGateway, ofRoute("new")],
  },
];

describe("cost follows the change", () => {
  const costs = new Map<string, Map<number, Cost>>();
  before(async () => {
    for (const routes of [100, 1_000]) {
      const { cost, close } = await openScene(routes);
      for (const { name, changes } of edits)
        costs.set(name, (costs.get(name) ?? new Map<number, Cost>()).set(routes, await cost(changes)));
      await close();
    }
  });

  for (const { name, resources, maxBytes, statuses } of edits)
    it(`of ${name}: as much among 1,000 routes as among 100`, () => {
      const few = costs.get(name)?.get(100);
      const many = costs.get(name)?.get(1_000);
      assert.ok(few && many);
      assert.deepEqual(many, few);
      assert.ok(many.computations <= 40, `${many.computations} computations`);
      assert.ok(many.bytes <= maxBytes, `${many.bytes} bytes`);
      assert.equal(many.resources, resources);
      assert.deepEqual(many.statuses, statuses.toSorted());
    });
});
