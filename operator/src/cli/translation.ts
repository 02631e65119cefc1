import { assumedAddresses, type Settings } from "../gatewayapi/index.ts";
import type { ProxyKey } from "../ir/index.ts";
import type { Logger } from "../lib/index.ts";
import { createReconciler, type Reconciler } from "../reconcile/index.ts";
import type { Change } from "../store/index.ts";
import { checkExtension } from "../xds/index.ts";

export type TranslationOptions = {
  readonly settings: Settings;
  readonly logger: Logger;
  /** Where Envoy is to listen; ports are those that the Gateways state. */
  readonly bindAddress: string;
};

/** Objects translated once: nothing is served, and proxies stand where they ask to stand. */
export type OfflineTranslation = Pick<Reconciler, "store" | "ir" | "xds" | "statuses" | "close"> & {
  /** Gateways of ours, by key. */
  readonly gateways: readonly ProxyKey[];
};

export async function translateObjects(
  changes: readonly Change[],
  { settings, logger, bindAddress }: TranslationOptions,
): Promise<OfflineTranslation> {
  const reconciler = createReconciler({ logger, settings, checkExtension });
  const { store, ir, xds, statuses, close } = reconciler;
  reconciler.apply(changes);
  reconciler.synced();
  await reconciler.settled();
  const gateways = [...ir.proxies.keys()].toSorted();
  for (const key of gateways) {
    const spec = store.objects.Gateway.get(key)?.spec;
    if (spec === undefined) continue;
    const placed = assumedAddresses(spec, bindAddress);
    const address = placed.addresses.find(({ type }) => type === "IPAddress")?.value ?? bindAddress;
    reconciler.place(key, { ...placed, bind: (port) => ({ address, port }) });
    reconciler.report(key, { kind: "ready" });
  }
  await reconciler.settled();
  return { store, ir, xds, statuses, close, gateways };
}
