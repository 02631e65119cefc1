import { className } from "../api/emit-constructs.ts";
import { docComment, literal } from "../api/text.ts";
import { type Definition, type DefinitionVersion, fieldsOf, moduleOf } from "./definition.ts";

const base = `import { ApiObject, type ApiObjectMetadata } from "cdk8s";
import type { Construct } from "constructs";

/** What an author says of an object: all but what the construct knows, and what the cluster answers. */
export type ObjectProps<Manifest> = Omit<Manifest, "apiVersion" | "kind" | "metadata" | "status"> & {
  readonly metadata?: ApiObjectMetadata;
};

/** An object in a tree of constructs; what the constructs of all kinds have in common. */
export abstract class KubernetesObject<Props extends { readonly metadata?: ApiObjectMetadata }> extends ApiObject {
  protected constructor(scope: Construct, id: string, identity: { readonly apiVersion: string; readonly kind: string }, props: Props) {
    super(scope, id, { ...props, ...identity });
  }
}
`;

/** A construct for each kind in each version that is served, in a file for each version of a group. */
export function emitConstructs(definitions: readonly Definition[]): ReadonlyMap<string, string> {
  const classes = new Map<string, string[]>();
  for (const definition of definitions)
    for (const version of definition.versions) {
      if (!version.isServed) continue;
      const module = moduleOf(definition, version);
      classes.set(module, [...(classes.get(module) ?? []), emitClass(definition, version)]);
    }
  const files = [...classes].map(([module, texts]): [string, string] => [
    `${module}.ts`,
    `${imports(module)}\n${texts.join("\n")}`,
  ]);
  return new Map([["kubernetes-object.ts", base], ...files]);
}

/** The way up from the file of a module. */
const up = (module: string) => "../".repeat(module.split("/").length);

const imports = (module: string) => `import type { Construct } from "constructs";
import type * as manifests from ${literal(`${up(module)}types/${module}.ts`)};
import { KubernetesObject, type ObjectProps } from ${literal(`${up(module).slice(3) || "./"}kubernetes-object.ts`)};
`;

function emitClass(definition: Definition, version: DefinitionVersion): string {
  const { kind } = definition;
  const name = className(kind);
  const { description } = fieldsOf(version.schema);
  const identity = `{ apiVersion: ${literal(moduleOf(definition, version))}, kind: ${literal(kind)} }`;
  return `/** What a ${kind} says of itself; its name comes from the construct's place in the tree unless \`metadata\` gives one. */
export type ${name}Props = ObjectProps<manifests.${kind}>;

${docComment(typeof description === "string" ? description : "")}export class ${name} extends KubernetesObject<${name}Props> {
  static readonly identity = ${identity} as const;

  /** The object alone, for who needs it outside of a tree. */
  static manifest(props: ${name}Props): typeof ${name}.identity & ${name}Props {
    return { ...props, ...${name}.identity };
  }

  constructor(scope: Construct, id: string, props: ${name}Props) {
    super(scope, id, ${name}.identity, props);
  }
}
`;
}
