import { parseQuantity } from "../../lib/index.ts";

/**
 * Where an object is not as it is to be: paths of what is missing or says something else. What others have added beside it is theirs.
 * Members of lists that have names are told apart by them, others by their place.
 */
export function differences(desired: unknown, observed: unknown, path = ""): readonly string[] {
  if (Array.isArray(desired)) return differencesOfLists(desired, observed, path);
  if (typeof desired === "object" && desired !== null) {
    if (typeof observed !== "object" || observed === null) return [path];
    return Object.entries(desired).flatMap(([name, value]) =>
      differences(value, Reflect.get(observed, name), path === "" ? name : `${path}.${name}`),
    );
  }
  return desired === undefined || Object.is(desired, observed) || isSameAmount(desired, observed, path) ? [] : [path];
}

/** The API server writes quantities in a form of its own: `0.5` becomes `500m`. */
function isSameAmount(desired: unknown, observed: unknown, path: string): boolean {
  if (typeof desired !== "string" || typeof observed !== "string" || !/\.(requests|limits)\.[^.]+$/.test(path))
    return false;
  const amount = parseQuantity(desired);
  return amount !== undefined && amount === parseQuantity(observed);
}

function differencesOfLists(desired: readonly unknown[], observed: unknown, path: string): readonly string[] {
  if (!Array.isArray(observed)) return [path];
  const list: readonly unknown[] = observed;
  if (!desired.every((value) => nameOf(value) !== undefined))
    return list.length === desired.length
      ? desired.flatMap((value, index) => differences(value, list[index], `${path}[${index}]`))
      : [path];
  return desired.flatMap((value) => {
    const name = nameOf(value);
    return differences(
      value,
      list.find((candidate) => nameOf(candidate) === name),
      `${path}[${name}]`,
    );
  });
}

/** Of containers, ports, volumes, variables; and of owners. */
function nameOf(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const name: unknown = Reflect.get(value, "uid") ?? Reflect.get(value, "name");
  return typeof name === "string" ? name : undefined;
}
