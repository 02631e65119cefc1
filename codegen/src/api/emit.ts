import { emitConstructs } from "./emit-constructs.ts";
import { emitCrd } from "./emit-crds.ts";
import { emitFeatures } from "./emit-features.ts";
import { emitKinds } from "./emit-kinds.ts";
import { emitModule } from "./emit-module.ts";
import { emitSchemas } from "./emit-schemas.ts";
import type { CustomResourceDefinition, Model } from "./model.ts";

/** All files of `crd-types/src/generated/api`, by path below it. `overlay` is the model of kinds that it changes. */
export const emitApi = (model: Model, overlay?: Model): ReadonlyMap<string, string> => {
  const files = new Map<string, string>();
  for (const module of model.modules) files.set(`${module.name}.ts`, emitModule(module));
  for (const module of overlay?.modules ?? []) {
    // What it has in common with the model is written already, and it has no constants of its own.
    if (!files.has(`${module.name}.ts`)) files.set(`${module.name}.ts`, emitModule({ ...module, constants: [] }));
  }
  files.set("kinds.ts", emitKinds(model.kinds));
  files.set("gateway/features.ts", emitFeatures(model.features, model.featureConstants));
  files.set("schemas.ts", emitSchemas(model.schemas, overlay?.schemas));
  return files;
};

/** All files of `crd-types/src/generated/crds`, by path below it. */
export const emitCrds = (model: Model): ReadonlyMap<string, string> =>
  new Map(model.crds.map((crd) => [`${crd.folder}/${crd.file}`, emitCrd(crd)]));

/** The CRDs that an overlay changes, in a folder of its name. Its fields are experimental: the standard channel has nothing of it. */
export const emitOverlayCrds = (overlay: Model, name: string): ReadonlyMap<string, string> =>
  new Map(
    overlay.crds
      .filter(({ folder }) => folder === "experimental")
      .map((crd) => [`${name}/${crd.file}`, emitCrd({ ...crd, definition: marked(crd, name) })]),
  );

/** Whoever meets it in a cluster shall see that it is not as it was released. */
const marked = ({ definition }: CustomResourceDefinition, name: string): unknown => {
  const { metadata, ...others } = fieldsOf(definition);
  const { annotations, ...named } = fieldsOf(metadata);
  return {
    ...others,
    metadata: { ...named, annotations: { ...fieldsOf(annotations), "gatewright.dev/overlay": name } },
  };
};

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> => Object.fromEntries(Object.entries(value ?? {}));

/** All files of `constructs/src/generated`, by path below it. */
export const emitConstructsOf = ({ modules, kinds }: Model, up?: string): ReadonlyMap<string, string> =>
  emitConstructs(kinds, new Map(modules.flatMap(({ types }) => types.map(({ name, doc }) => [name, doc]))), up);
