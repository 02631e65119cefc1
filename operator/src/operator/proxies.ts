import type { Identity, SecretData } from "../identity/index.ts";
import { addressServices, desiredInfra } from "../infra/index.ts";
import type { ProxyKey } from "../ir/index.ts";
import type { Logger } from "../lib/index.ts";
import type { Reconciler } from "../reconcile/index.ts";
import type { Applier } from "../writer/index.ts";
import { type AdsLocation, proxyFiles } from "./proxy-files.ts";

export type ProxiesOptions = {
  readonly reconciler: Pick<Reconciler, "ir" | "waiting">;
  readonly applier: Pick<Applier, "want" | "compareAll" | "secretData" | "synced">;
  readonly identity: Pick<Identity, "proxySecretData">;
  readonly isLeader: () => boolean;
  readonly ads: AdsLocation;
  /** Of Envoy, where MeshConfig names none. */
  readonly image?: string;
  readonly logger: Logger;
};

/** What translation wants to stand in the cluster, handed to the one who brings it about. */
export type Proxies = {
  /** Proxies that came, changed or went. */
  readonly update: (keys: Iterable<ProxyKey>) => void;
  /** All anew: who leads has changed, or what proxies prove themselves with. */
  readonly updateAll: () => void;
};

export function createProxies(options: ProxiesOptions): Proxies {
  const { reconciler, applier, identity, isLeader, ads, logger } = options;
  const { proxies } = reconciler.ir;
  /** Counts what was asked for each: certificates take a moment, and only the last word counts. */
  const asked = new Map<ProxyKey, number>();
  /** What was issued and may not be in the cluster yet. */
  const issued = new Map<ProxyKey, SecretData>();

  function update(key: ProxyKey): void {
    if (proxies.get(key) === undefined) {
      asked.delete(key);
      issued.delete(key);
      // It tells where that stands which was made for it.
      return applier.want(key, reconciler.waiting.get(key) ? { kind: "keep" } : undefined);
    }
    // Only the one that writes issues certificates.
    if (!isLeader()) return applier.want(key, { kind: "keep" });
    const serial = (asked.get(key) ?? 0) + 1;
    asked.set(key, serial);
    desire(key, () => asked.get(key) === serial).catch((error: unknown) =>
      logger.error({ gateway: key, err: error }, "what a Gateway needs cannot be told"),
    );
  }

  async function desire(key: ProxyKey, isLast: () => boolean): Promise<void> {
    // Known at once, so that it has a place before anything is applied.
    applier.want(key, { kind: "keep" });
    await applier.synced;
    const data = await identity.proxySecretData(key, applier.secretData(key) ?? issued.get(key));
    const proxy = proxies.get(key);
    if (proxy === undefined || !isLast()) return;
    issued.set(key, data);
    const objects = desiredInfra(proxy, {
      files: proxyFiles(proxy, ads),
      identity: data,
      ...(options.image !== undefined && { image: options.image }),
    });
    applier.want(key, { kind: "objects", objects, addressServices: addressServices(proxy) });
  }

  return {
    update: (keys) => {
      for (const key of keys) update(key);
    },
    updateAll: () => {
      for (const key of proxies.keys()) update(key);
      applier.compareAll();
    },
  };
}
