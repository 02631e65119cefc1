import { type ApiServer, createListWatch, type ListWatch, resourcePath } from "../kubernetes/index.ts";
import type { Clock, Logger } from "../lib/index.ts";

export type DefinitionsOptions = {
  readonly api: ApiServer;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random?: () => number;
  /** The groups whose definitions matter. */
  readonly groups: ReadonlySet<string>;
  /** When to look after a change, and when once more. */
  readonly delaysMs: readonly number[];
  readonly onChange: () => void;
  /** From now on no change is missed. */
  readonly onListed: () => void;
};

/**
 * Calls `onChange` after CustomResourceDefinitions of the groups have come, changed or gone, so that a new kind does not wait for
 * the next round. Only their metadata is read. Whoever may not read them has the rounds.
 */
export function watchDefinitions(options: DefinitionsOptions): {
  readonly start: () => void;
  readonly close: () => void;
} {
  let watch: ListWatch | undefined;
  let cancel: (() => void)[] = [];

  function soon(): void {
    stop();
    cancel = options.delaysMs.map((delayMs) => options.clock.after(delayMs, options.onChange));
  }

  function stop(): void {
    for (const one of cancel) one();
    cancel = [];
  }

  return {
    start: () => {
      let isListed = false;
      watch = createListWatch({
        ...options,
        path: resourcePath({ group: "apiextensions.k8s.io", version: "v1", plural: "customresourcedefinitions" }),
        name: "CustomResourceDefinition",
        metadataOnly: true,
        isOptional: true,
        onEvents: (events) => {
          // `httproutes.gateway.networking.k8s.io`. Those that are there from the beginning have changed nothing.
          if (isListed && events.some(({ key }) => options.groups.has(key.slice(key.indexOf(".") + 1)))) soon();
        },
        onState: () => {
          const wasListed = isListed;
          isListed = watch?.state().isListed === true;
          if (isListed && !wasListed) options.onListed();
        },
      });
    },
    close: () => {
      stop();
      watch?.close();
    },
  };
}
