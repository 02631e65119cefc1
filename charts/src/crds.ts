import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ApiObject, Chart } from "cdk8s";
import type { Construct } from "constructs";
import { parse } from "yaml";

/** A release channel of the Gateway API: `experimental` has all that `standard` has, and more. */
export type Channel = "standard" | "experimental";

export const channels: readonly Channel[] = ["standard", "experimental"];

/** The CustomResourceDefinitions of the Gateway API, as its release ships them, and ours. */
export class Crds extends Chart {
  constructor(scope: Construct, id: string, channel: Channel) {
    super(scope, id);
    for (const folder of [channel, "gatewright"]) {
      for (const definition of readFolder(folder)) new ApiObject(this, definition.metadata.name, definition);
    }
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
