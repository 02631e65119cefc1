export type Spread = { readonly p50: number; readonly p95: number; readonly max: number };

export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((left, right) => left - right);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
  return { p50: at(0.5), p95: at(0.95), max: at(1) };
}

export const round = (value: number, digits = 1): number => Number(value.toFixed(digits));
