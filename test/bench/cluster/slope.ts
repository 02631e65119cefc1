export type Point = { readonly x: number; readonly y: number };

export type Slope = {
  readonly slope: number;
  /** Twice the standard error: a slope that is smaller is none that can be told from zero. Not a number below three points. */
  readonly noise: number;
  readonly mean: number;
};

/** The line of least squares through the points; none through fewer than two places. */
export function slopeOf(points: readonly Point[]): Slope | undefined {
  const count = points.length;
  const mean = (of: (point: Point) => number) => points.reduce((sum, point) => sum + of(point), 0) / count;
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)];
  const spread = points.reduce((sum, point) => sum + (point.x - x) ** 2, 0);
  if (!(spread > 0)) return undefined;
  const slope = points.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0) / spread;
  const left = points.reduce((sum, point) => sum + (point.y - y - slope * (point.x - x)) ** 2, 0);
  return { slope, noise: 2 * Math.sqrt(left / (count - 2) / spread), mean: y };
}

/** By which power of x, y grows: 0 is not at all, 1 in proportion. Only of points above zero. */
export const exponentOf = (points: readonly Point[]): number | undefined =>
  slopeOf(points.flatMap(({ x, y }) => (x > 0 && y > 0 ? [{ x: Math.log10(x), y: Math.log10(y) }] : [])))?.slope;
