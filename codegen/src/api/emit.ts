import { emitConstructs } from "./emit-constructs.ts";
import { emitCrd } from "./emit-crds.ts";
import { emitFeatures } from "./emit-features.ts";
import { emitKinds } from "./emit-kinds.ts";
import { emitModule } from "./emit-module.ts";
import { emitSchemas } from "./emit-schemas.ts";
import type { Model } from "./model.ts";

/** All files of `crd-types/src/generated/api`, by path below it. */
export const emitApi = (model: Model): ReadonlyMap<string, string> => {
  const files = new Map<string, string>();
  for (const module of model.modules) files.set(`${module.name}.ts`, emitModule(module));
  files.set("kinds.ts", emitKinds(model.kinds));
  files.set("gateway/features.ts", emitFeatures(model.features, model.featureConstants));
  files.set("schemas.ts", emitSchemas(model.schemas));
  return files;
};

/** All files of `crd-types/src/generated/crds`, by path below it. */
export const emitCrds = (model: Model): ReadonlyMap<string, string> =>
  new Map(model.crds.map((crd) => [`${crd.folder}/${crd.file}`, emitCrd(crd)]));

/** All files of `constructs/src/generated`, by path below it. */
export const emitConstructsOf = ({ modules, kinds }: Model): ReadonlyMap<string, string> =>
  emitConstructs(kinds, new Map(modules.flatMap(({ types }) => types.map(({ name, doc }) => [name, doc]))));
