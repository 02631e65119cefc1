import { type KindName, kinds } from "@gatewright/crd-types";
import { type ApiServer, isSuccess, resourcePath } from "../kubernetes/index.ts";
import { isFields } from "../lib/index.ts";
import { type OptionalField, optionalFields } from "../store/index.ts";

/** Knows which fields the definitions of the cluster leave out. Definitions are large: they are read again only after they have changed. */
export type FieldReading = {
  /** Looks where something may have changed. Resolves to whether another answer came of it. Throws as requests do. */
  readonly look: (signal: AbortSignal) => Promise<boolean>;
  /** Definitions have changed. */
  readonly doubt: () => void;
  readonly absent: () => ReadonlySet<OptionalField>;
};

type Finding = "there" | "absent" | "unknown";

const isOptionalField = (name: string): name is OptionalField => name in optionalFields;

/** Until the definitions could be read, and where they may not be, no such field is counted on: what is written to one that is not there is lost. */
export function createFieldReading(api: ApiServer, ofKinds: readonly KindName[]): FieldReading {
  const names = Object.keys(optionalFields)
    .filter(isOptionalField)
    .filter((name) => ofKinds.includes(optionalFields[name].kind));
  let absent: ReadonlySet<OptionalField> = new Set(names);
  let doubts = 1;
  let settled = 0;

  /** What the definition of a kind says of its fields. */
  async function read(kind: KindName, signal: AbortSignal): Promise<(name: OptionalField) => Finding> {
    const { group, plural, version } = kinds[kind];
    const definitions = resourcePath({
      group: "apiextensions.k8s.io",
      version: "v1",
      plural: "customresourcedefinitions",
    });
    const response = await api.request({ method: "GET", path: `${definitions}/${plural}.${group}`, signal });
    if (isSuccess(response))
      return (name) => (hasField(response.body, version, optionalFields[name].path) ? "there" : "absent");
    const finding = response.status === 403 || response.status === 404 ? "absent" : "unknown";
    return () => finding;
  }

  return {
    look: async (signal) => {
      if (settled === doubts) return false;
      const seen = doubts;
      const found = new Map<OptionalField, Finding>();
      for (const [kind, ofKind] of Map.groupBy(names, (name) => optionalFields[name].kind)) {
        const findingOf = await read(kind, signal);
        for (const name of ofKind) found.set(name, findingOf(name));
      }
      // Of what a server in trouble does not say, the last word stands.
      const next = names.filter(
        (name) => found.get(name) === "absent" || (found.get(name) === "unknown" && absent.has(name)),
      );
      if (![...found.values()].includes("unknown")) settled = seen;
      const isNews = next.length !== absent.size || next.some((name) => !absent.has(name));
      absent = new Set(next);
      return isNews;
    },
    doubt: () => void doubts++,
    absent: () => absent,
  };
}

/** Whether a CustomResourceDefinition has a field in a version; steps of `path` go through lists. */
function hasField(definition: unknown, version: string, path: readonly string[]): boolean {
  const versions = at(definition, ["spec", "versions"]);
  const found: unknown = Array.isArray(versions)
    ? versions.find((each: unknown) => isFields(each) && each["name"] === version)
    : undefined;
  const steps = path.flatMap((step) => ["properties", step]);
  let schema = at(found, ["schema", "openAPIV3Schema"]);
  for (const step of steps) {
    if (step === "properties" && isFields(schema) && "items" in schema) schema = schema["items"];
    schema = at(schema, [step]);
  }
  return schema !== undefined;
}

const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((each, step) => (isFields(each) ? each[step] : undefined), value);
