import type { Constant, Feature } from "./model.ts";
import { docComment, header, literal } from "./text.ts";

/** The module `gateway/features`: what an implementation may advertise in `GatewayClass.status.supportedFeatures`. */
export const emitFeatures = (features: readonly Feature[], constants: readonly Constant[]): string => {
  const sets = [...new Set(features.flatMap((feature) => feature.sets))].toSorted();
  const entries = features.map(
    (feature) =>
      `${docComment(feature.doc, "  ")}  ${feature.name}: { name: ${literal(feature.name)}, channel: ${literal(feature.channel)}, sets: [${feature.sets.map(literal).join(", ")}] },\n`,
  );
  return [
    header,
    `/** The name of a feature. */\nexport type FeatureName =\n${features.map((feature) => `  | ${literal(feature.name)}\n`).join("")};\n`,
    '/** The release channel of the Gateway API to which a feature belongs. */\nexport type FeatureChannel = "standard" | "experimental";\n',
    `/** The sets into which the conformance suite sorts features. */\nexport type FeatureSet =\n${sets.map((set) => `  | ${literal(set)}\n`).join("")};\n`,
    "export type Feature = {\n  readonly name: FeatureName;\n  readonly channel: FeatureChannel;\n  readonly sets: readonly FeatureSet[];\n};\n",
    `/** All features by name. */\nexport const features: { readonly [Name in FeatureName]: Feature & { readonly name: Name } } = {\n${entries.join("")}};\n`,
    ...constants.map(
      (constant) => `${docComment(constant.doc)}export const ${constant.name} = ${literal(constant.value)};\n`,
    ),
  ].join("\n");
};
