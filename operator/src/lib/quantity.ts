/** What a suffix multiplies by. https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/ */
const units: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** The number that a quantity stands for: `250m` is 0.25, `1Ki` 1024; undefined: it is none. */
export function parseQuantity(text: string): number | undefined {
  const [, number, suffix = ""] =
    /^([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)([numkMGTPE]|[KMGTPE]i)?$/.exec(text) ?? [];
  const unit = units[suffix];
  return number === undefined || unit === undefined ? undefined : Number(number) * unit;
}
