import type { InEffect, Translation } from "../gatewayapi/index.ts";
import { deepEqual, type Graph } from "../lib/index.ts";

/** Remembers what parameters of classes and Gateways said while they were good. */
export type InEffectMemory = InEffect & {
  /** Returns what is to be called whenever the graph is settled. It changes nothing of what is settled. */
  readonly follow: (translation: Pick<Translation, "classes" | "gateways" | "ir">) => () => void;
};

export function createInEffect(graph: Graph): InEffectMemory {
  type Of<K extends keyof InEffect> = NonNullable<ReturnType<InEffect[K]["get"]>>;
  const classes = graph.source<Of<"classes">>("classes in effect", deepEqual);
  const deployments = graph.source<Of<"deployments">>("deployments in effect", deepEqual);
  return {
    classes,
    deployments,
    follow: (translation) => {
      const changed = {
        classes: translation.classes.watch(),
        gateways: translation.gateways.watch(),
        proxies: translation.ir.proxies.watch(),
      };
      return () => {
        for (const name of changed.classes.take()) {
          const view = translation.classes.get(name);
          if (view === undefined) classes.set(name, undefined);
          else if (view.accepted) classes.set(name, view.mesh === undefined ? {} : { mesh: view.mesh });
        }
        for (const key of changed.gateways.take())
          if (translation.gateways.get(key) === undefined) deployments.set(key, undefined);
        for (const key of changed.proxies.take()) {
          const proxy = translation.ir.proxies.get(key);
          if (proxy !== undefined) deployments.set(key, proxy.deployment);
        }
      };
    },
  };
}
