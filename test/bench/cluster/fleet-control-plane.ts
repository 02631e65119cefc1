// The product without a cluster: translation, ADS over mTLS, and what it holds and uses.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createAdsServer } from "../../../operator/src/ads/index.ts";
import { createIdentity, isProxy } from "../../../operator/src/identity/index.ts";
import { createFakeApiServer } from "../../../operator/src/kubernetes/testing/index.ts";
import { silentLogger } from "../../../operator/src/lib/index.ts";
import { createReconciler } from "../../../operator/src/reconcile/index.ts";
import type { Change } from "../../../operator/src/store/index.ts";
import { makeCertificate } from "../../support/certificates.ts";
import { admit, checkExtension, controllerName, placed, rootNamespace, toChange } from "../../support/translation.ts";
import { serveParent } from "./fleet-child.ts";
import type { FleetTarget } from "./fleet-proxy.ts";
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
} from "./objects.ts";

export type Held = {
  readonly rssMiB: number;
  readonly heapMiB: number;
  readonly externalMiB: number;
  /** The longest that the event loop was kept, in milliseconds. */
  readonly delayMaxMs: number;
  readonly delayP99Ms: number;
  readonly streams: number;
  readonly counters: unknown;
};

export type ControlPlaneCalls = {
  start: readonly [undefined, FleetTarget];
  /** Brings the number of routes to this. */
  load: readonly [{ from: number; to: number }, void];
  /** Another edition of one route, or of so many; `refused` is in the first of them. */
  change: readonly [{ edition: string; from?: number; count?: number; refused?: string }, void];
  /** Memory, after collection of garbage where asked for; starts counting delays anew. */
  held: readonly [{ collect: boolean }, Held];
};

const proxy = `${namespace}/${gatewayName}`;
const serverName = "gatewright.gatewright-system.svc";

const ads = createAdsServer({
  logger: silentLogger,
  authorize: ({ nodeCluster, peer }) =>
    isProxy(nodeCluster, peer.certificate?.subjectaltname)
      ? { kind: "proxy", key: nodeCluster }
      : { kind: "refused", message: "not the right certificate" },
});
const reconciler = createReconciler({
  logger: silentLogger,
  settings: { controllerName, rootNamespace },
  checkExtension,
  publisher: ads,
});
const delays = monitorEventLoopDelay({ resolution: 1 });

let generation = 1;
const put = (object: KubernetesObject): Change =>
  toChange(admit({ ...object, metadata: { ...object.metadata, generation: ++generation } }));

async function apply(objects: readonly KubernetesObject[]): Promise<void> {
  reconciler.apply(objects.map(put));
  await reconciler.settled();
}

serveParent<ControlPlaneCalls>({
  start: async () => {
    const identity = await createIdentity({
      api: createFakeApiServer(),
      logger: silentLogger,
      namespace: "gatewright-system",
      secretName: "gatewright-ca",
      serverNames: [serverName],
    });
    reconciler.synced();
    reconciler.place(proxy, placed("192.0.2.1"));
    reconciler.report(proxy, { kind: "ready" });
    const { certificate, privateKey } = makeCertificate({ dnsNames: ["secure.example.com"] });
    await apply([
      gatewayClass("gatewright", controllerName),
      secret(certificate, privateKey),
      ...services.map(service),
      ...services.map((name) => endpointSlice(name, 3000)),
      gateway("gatewright"),
    ]);
    const port = await ads.listen("127.0.0.1:0", identity.credentials);
    const data = await identity.proxySecretData(proxy, undefined);
    const text = (name: string) => Buffer.from(data[name] ?? "", "base64").toString();
    delays.enable();
    return {
      host: "127.0.0.1",
      port,
      serverName,
      cluster: proxy,
      proof: { authority: text("ca.crt"), certificate: text("tls.crt"), privateKey: text("tls.key") },
    };
  },
  load: ({ from, to }) => apply(Array.from({ length: to - from }, (_, index) => route(routeName(from + index)))),
  change: ({ edition, from = 0, count = 1, refused }) =>
    apply(
      Array.from({ length: count }, (_, index) => {
        const version = index === 0 && refused !== undefined ? `${refused}-${edition}` : edition;
        return route(routeName(from + index), { version });
      }),
    ),
  held: ({ collect }) => {
    if (collect) for (let times = 0; times < 3; times++) globalThis.gc?.();
    const { rss, heapUsed, external } = process.memoryUsage();
    const held = {
      rssMiB: rss / 2 ** 20,
      heapMiB: heapUsed / 2 ** 20,
      externalMiB: external / 2 ** 20,
      delayMaxMs: delays.max / 1e6,
      delayP99Ms: delays.percentile(99) / 1e6,
      streams: ads.held().streams,
      counters: structuredClone(ads.counters),
    };
    delays.reset();
    return held;
  },
});
