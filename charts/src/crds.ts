import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ApiObject, Chart } from "cdk8s";
import type { Construct } from "constructs";
import { parse } from "yaml";

/** A release channel of the Gateway API: `experimental` has all that `standard` has, and more. */
export type Channel = "standard" | "experimental";

export const channels: readonly Channel[] = ["standard", "experimental"];

/** Definitions of the Gateway API with more in them than was released, over the experimental channel: docs/adr/0011. */
export type Overlay = "cluster-trust-bundle-ref";

export const overlays: readonly Overlay[] = ["cluster-trust-bundle-ref"];

/** The CustomResourceDefinitions of the Gateway API, as its release ships them unless there is an overlay, and ours. */
export class Crds extends Chart {
  constructor(scope: Construct, id: string, channel: Channel, overlay?: Overlay) {
    super(scope, id);
    const folders = [channel, ...(overlay === undefined ? [] : [overlay]), "gatewright"];
    const definitions = folders
      .flatMap(readFolder)
      .map((definition) => [definition.metadata.name, definition] as const);
    // Where an overlay has one of the same name, it stands in its place.
    for (const [name, definition] of new Map(definitions)) new ApiObject(this, name, definition);
  }
}

type Definition = { readonly apiVersion: string; readonly kind: string; readonly metadata: { readonly name: string } };

function readFolder(folder: string): readonly Definition[] {
  const path = fileURLToPath(new URL(".", import.meta.resolve(`@gatewright/crd-types/crds/${folder}/any`)));
  return readdirSync(path)
    .toSorted()
    .map((file): Definition => {
      const definition: unknown = parse(readFileSync(`${path}/${file}`, "utf8"));
      if (!isDefinition(definition)) throw new TypeError(`${folder}/${file} is no CustomResourceDefinition`);
      return definition;
    });
}

const isDefinition = (value: unknown): value is Definition =>
  typeof value === "object" && value !== null && Reflect.get(value, "kind") === "CustomResourceDefinition";
