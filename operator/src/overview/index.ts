export { withDefaultClass } from "./default-class.ts";
export { listenersOf } from "./listeners-of.ts";
export { createLooseEnds, type LooseEnds } from "./loose-ends.ts";
export { placeIn, problemsOfFiles } from "./manifests.ts";
export {
  formatProblem,
  type GatewayRow,
  type Problem,
  type RouteRow,
  type Row,
  type RowContext,
  rowOf,
} from "./rows.ts";
