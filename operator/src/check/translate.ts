import {
  assumedAddresses,
  createTranslation,
  type Placement,
  type ProxyState,
  type Refusal,
  type Translation,
  type Unavailability,
} from "../gatewayapi/index.ts";
import { createGraph } from "../lib/index.ts";
import { type Change, createStore, type Store, type StoredKind } from "../store/index.ts";
import { checkExtension, createXdsTables, type XdsTables } from "../xds/index.ts";

export type Translated = Translation & { readonly store: Store; readonly xds: XdsTables };

export type TranslateOptions = {
  readonly controllerName: string;
  readonly rootNamespace: string;
  readonly nowMs: number;
  /** Kinds that the cluster does not have. */
  readonly absent: readonly StoredKind[];
  /** A bug of ours; the rest goes on. */
  readonly onError: (table: string, key: string, error: unknown) => void;
};

/** Translates objects once, as if every Gateway had the address that it asks for and every Envoy took what it gets. */
export function translateOnce(changes: readonly Change[], options: TranslateOptions): Translated {
  const { controllerName, rootNamespace, nowMs, absent, onError } = options;
  const graph = createGraph({ onError });
  const store = createStore(graph);
  const placements = graph.source<Placement>("placements");
  const proxyStates = graph.source<ProxyState>("proxyStates");
  const clock = graph.source<number>("clock");
  const unavailable = graph.source<Unavailability>("unavailable");
  const translation = createTranslation(graph, {
    store,
    placements,
    proxyStates,
    refusedListeners: graph.source<Refusal>("refusedListeners"),
    quarantine: graph.source<Refusal>("quarantine"),
    checkExtension,
    settings: { controllerName, rootNamespace },
    clock,
    unavailable,
  });
  const xds = createXdsTables(graph, translation.ir);
  clock.set("now", nowMs);
  for (const kind of absent) unavailable.set(kind, { kind: "absent" });
  store.apply(changes);
  graph.settle();
  for (const key of translation.gateways.keys()) {
    placements.set(key, placementOf(store, key));
    proxyStates.set(key, { kind: "ready" });
  }
  graph.settle();
  return { ...translation, store, xds };
}

const anyAddress = "0.0.0.0";

function placementOf({ objects }: Store, key: string): Placement {
  const spec = objects.Gateway.get(key)?.spec ?? { gatewayClassName: "", listeners: [] };
  const placed = assumedAddresses(spec, anyAddress);
  const address = placed.addresses.find(({ type }) => type === "IPAddress")?.value ?? anyAddress;
  return { ...placed, bind: (port) => ({ address, port }) };
}
