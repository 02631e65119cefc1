import type { ProxyState } from "../../gatewayapi/index.ts";

/** Records states and lets a test wait for one, without polling. */
export type StateLog = {
  readonly push: (state: ProxyState) => void;
  readonly seen: () => readonly ProxyState[];
  /** The next state from now on that satisfies `accept`. */
  readonly next: (accept: (state: ProxyState) => boolean) => Promise<ProxyState>;
};

export function createStateLog(): StateLog {
  const seen: ProxyState[] = [];
  const waiting = new Set<(state: ProxyState) => void>();
  return {
    push: (state) => {
      seen.push(state);
      for (const wake of waiting) wake(state);
    },
    seen: () => seen,
    next: (accept) =>
      new Promise((resolve) => {
        const wake = (state: ProxyState) => {
          if (!accept(state)) return;
          waiting.delete(wake);
          resolve(state);
        };
        waiting.add(wake);
      }),
  };
}

export const isReadyState = ({ kind }: ProxyState): boolean => kind === "ready";
