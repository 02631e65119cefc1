import type { LeaderElection } from "../lease/index.ts";

/** An election with one who stands: for an operator that runs alone. Leads from the start on. */
export function leadingAlone(): LeaderElection {
  const listeners = new Set<(leads: boolean) => void>();
  let leads = false;
  return {
    start: () => {
      leads = true;
      for (const listener of listeners) listener(true);
    },
    isLeader: () => leads,
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stats: () => ({ leads, holder: "", leaseTransitions: 0, acquired: leads ? 1 : 0, failures: 0 }),
    stop: async () => {
      leads = false;
    },
  };
}
