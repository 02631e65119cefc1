/** Keys that wait for their turn, each once. */
export type StatusQueue = {
  /** An urgent key comes before all others, the latest first; others come in their order. */
  readonly add: (key: string, urgent: boolean) => void;
  readonly take: () => string | undefined;
  readonly clear: () => void;
  readonly size: () => number;
};

export function createStatusQueue(): StatusQueue {
  /** In the order of coming; the last one is the next. */
  let urgent: string[] = [];
  const patient = new Set<string>();
  const urgentKeys = new Set<string>();

  return {
    add: (key, isUrgent) => {
      if (!isUrgent) {
        if (!urgentKeys.has(key)) patient.add(key);
        return;
      }
      patient.delete(key);
      urgentKeys.add(key);
      urgent.push(key);
      // A key that comes again and again leaves its earlier places behind.
      if (urgent.length > 2 * urgentKeys.size + 64) urgent = [...new Set(urgent.toReversed())].toReversed();
    },
    take: () => {
      for (;;) {
        const key = urgent.pop();
        if (key === undefined) break;
        if (urgentKeys.delete(key)) return key;
      }
      const [first] = patient;
      if (first !== undefined) patient.delete(first);
      return first;
    },
    clear: () => {
      urgent = [];
      urgentKeys.clear();
      patient.clear();
    },
    size: () => urgentKeys.size + patient.size,
  };
}
