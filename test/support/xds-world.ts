import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAdsServer } from "../../operator/src/ads/index.ts";
import { parseUseKey, type ProxyKey } from "../../operator/src/ir/index.ts";
import { createGraph, silentLogger } from "../../operator/src/lib/index.ts";
import { buildBootstrap, createXdsTables, resourceTypes } from "../../operator/src/xds/index.ts";
import { createIrSources, type IrFragment } from "./ir-fragment.ts";
import { type RunningEnvoy, runEnvoy } from "./running-envoy.ts";

export type XdsWorld = {
  readonly envoy: RunningEnvoy;
  /** Replaces the IR and publishes what comes out different. */
  readonly apply: (fragment: IrFragment) => void;
  /** What Envoy refused so far, in its words. */
  readonly refusals: readonly string[];
  readonly close: () => Promise<void>;
};

/** An IR served to a real Envoy over ADS, as the operator does it, without the operator's loop. */
export async function openXdsWorld(proxy: ProxyKey, fragment: IrFragment): Promise<XdsWorld> {
  const folder = await mkdtemp(join(tmpdir(), "gatewright-xds-"));
  const adsPath = join(folder, "ads.sock");
  const ads = createAdsServer({ logger: silentLogger });
  const refusals: string[] = [];
  ads.onVerdict(({ kind, message }) => {
    if (kind === "refused") refusals.push(message);
  });
  await ads.listen(`unix:${adsPath}`);

  const graph = createGraph();
  const { ir, apply } = createIrSources(graph);
  const tables = createXdsTables(graph, ir);
  const watches = resourceTypes.map((type) => [type, tables[type].watch()] as const);
  const publish = (next: IrFragment) => {
    apply(next);
    graph.settle();
    const changes = watches.flatMap(([type, watch]) =>
      [...watch.take()].map((key) => ({ type, name: parseUseKey(key).name, resource: tables[type].get(key) })),
    );
    ads.publish(proxy, changes);
  };
  publish(fragment);
  const envoy = await runEnvoy(
    buildBootstrap({
      nodeId: proxy,
      nodeCluster: proxy,
      ads: { path: adsPath },
      admin: { path: join(folder, "admin.sock") },
      maxHeapBytes: 1024 ** 3,
    }),
  );
  return {
    envoy,
    apply: publish,
    refusals,
    close: async () => {
      await envoy.stop();
      await ads.close(0);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
