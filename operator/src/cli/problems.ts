import { formatOrigin } from "../ir/index.ts";
import { formatProblem, listenersOf, type Problem, type RowContext, rowOf } from "../overview/index.ts";
import type { XdsProblem } from "../xds/index.ts";
import type { OfflineTranslation } from "./translation.ts";

/** What is wrong with objects: what their statuses say, and what Envoy would refuse. */
export function problemsOf(
  { statuses, store, xds }: OfflineTranslation,
  place: RowContext["place"],
): readonly Problem[] {
  const context: RowContext = {
    member: () => undefined,
    listeners: listenersOf(store),
    hostnames: () => [],
    place,
  };
  const ofObjects = [...statuses.keys()].flatMap((key) => {
    const status = statuses.get(key);
    return status === undefined ? [] : rowOf(status, context).problems;
  });
  const ofEnvoy = [...xds.problems.keys()].flatMap((key) => {
    const problem = xds.problems.get(key);
    return problem === undefined ? [] : describe(problem, place);
  });
  const byText = new Map([...ofObjects, ...ofEnvoy].map((problem) => [formatProblem(problem), problem]));
  return [...byText.keys()].toSorted().flatMap((text) => byText.get(text) ?? []);
}

function describe(
  { type, resource, origin, effect, violations }: XdsProblem,
  place: RowContext["place"],
): readonly Problem[] {
  const object = origin === undefined ? `${type} ${resource}` : formatOrigin(origin);
  const at = origin === undefined ? undefined : place(origin.kind, `${origin.namespace}/${origin.name}`);
  const outcome = effect === "answers-500" ? "its requests are answered 500" : "it is left out";
  return violations.map(({ path, message }) => ({
    object,
    ...(at === undefined ? {} : { place: at }),
    message: `${path === "" ? "" : `${path}: `}${message}; ${outcome}`,
  }));
}
