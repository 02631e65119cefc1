// The control plane in process, on a Unix socket, and a real Envoy beside it: for what needs either to stop while the other runs.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type AdsServer, type AdsServerOptions, createAdsServer } from "../../../operator/src/ads/index.ts";
import { silentLogger } from "../../../operator/src/lib/index.ts";
import { createReconciler, type Reconciler, type ReconcilerOptions } from "../../../operator/src/reconcile/index.ts";
import { type Change, keyOf, storedKindOf } from "../../../operator/src/store/index.ts";
import { buildBootstrap, checkExtension } from "../../../operator/src/xds/index.ts";
import { envoyBinary } from "../../support/envoy.ts";
import { parseDocuments } from "../../support/golden.ts";
import { admit } from "../../support/translation.ts";

export type ControlPlane = {
  readonly reconciler: Reconciler;
  readonly ads: AdsServer;
  /** Applies the objects of a YAML text, with a generation where one is given, and waits until they are published. */
  readonly apply: (yaml: string, generation?: number) => Promise<void>;
  readonly close: () => Promise<void>;
};

const proxy = "team-a/gw";

/** Objects as the API server would hand them over: defaulted, with a generation. */
export function changesOf(yaml: string, generation = 1): readonly Change[] {
  return parseDocuments(yaml).flatMap((document) => {
    const object = admit(document);
    const kind = storedKindOf(object.apiVersion, object.kind);
    const named = { ...object, metadata: { ...object.metadata, generation } };
    return kind === undefined ? [] : [{ kind, key: keyOf(named), object: named } as unknown as Change];
  });
}

export async function startControlPlane(
  folder: string,
  options: Partial<ReconcilerOptions> = {},
  adsOptions: Partial<AdsServerOptions> = {},
): Promise<ControlPlane> {
  const ads = createAdsServer({ logger: silentLogger, ...adsOptions });
  const reconciler = createReconciler({
    logger: silentLogger,
    settings: { controllerName: "gatewright.dev/gateway-controller", rootNamespace: "gatewright-system" },
    checkExtension,
    publisher: ads,
    ...options,
  });
  reconciler.place(proxy, {
    addresses: [{ type: "IPAddress", value: "127.0.0.1" }],
    bind: (port) => ({ address: "127.0.0.1", port }),
  });
  reconciler.report(proxy, { kind: "ready" });
  await ads.listen(`unix:${join(folder, "ads.sock")}`);
  return {
    reconciler,
    ads,
    apply: async (yaml, generation) => {
      reconciler.apply(changesOf(yaml, generation));
      reconciler.synced();
      await reconciler.settled();
    },
    close: async () => {
      await reconciler.close();
      await ads.close(0);
    },
  };
}

export type DataPlane = { readonly pid: number; readonly kill: () => Promise<void> };

/** Starts an Envoy that takes its configuration from the socket in `folder`, whether or not anybody serves it yet. */
export async function startDataPlane(folder: string): Promise<DataPlane> {
  const config = join(folder, "bootstrap.json");
  const bootstrap = buildBootstrap({
    nodeId: "envoy-1",
    nodeCluster: proxy,
    ads: { path: join(folder, "ads.sock") },
    admin: { path: join(folder, "admin.sock") },
  });
  await writeFile(config, JSON.stringify(bootstrap));
  const child = spawn(
    await envoyBinary(),
    ["-c", config, "--use-dynamic-base-id", "--concurrency", "1", "--log-level", "off"],
    {
      stdio: "ignore",
    },
  );
  const exited = once(child, "exit");
  return {
    pid: child.pid ?? 0,
    kill: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
