const unitsMs: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/** A duration as Gateway API spells it, in milliseconds; undefined where it is none. https://gateway-api.sigs.k8s.io/geps/gep-2257/ */
export function parseDurationMs(text: string): number | undefined {
  if (!/^([0-9]{1,5}(h|m|s|ms)){1,4}$/.test(text)) return undefined;
  let sum = 0;
  for (const [, amount, unit = ""] of text.matchAll(/([0-9]+)(ms|h|m|s)/g))
    sum += Number(amount) * (unitsMs[unit] ?? 0);
  return sum;
}
