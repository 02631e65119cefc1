import { type Kind } from "./model.ts";
import { docComment, header, literal } from "./text.ts";

/** The files of one folder: a construct for each kind. `up` is the way from there to the hand-written sources. */
export const emitConstructs = (
  kinds: readonly Kind[],
  docs: ReadonlyMap<string, string>,
  up = "..",
): ReadonlyMap<string, string> => {
  const files = new Map<string, string>();
  for (const kind of kinds) files.set(`${fileName(kind.kind)}.ts`, emitConstruct(kind, docs.get(kind.kind) ?? "", up));
  const exports = kinds.map(
    ({ kind }) => `export { ${className(kind)}, type ${className(kind)}Props } from "./${fileName(kind)}.ts";\n`,
  );
  files.set("index.ts", `${header}\n${exports.toSorted().join("")}`);
  return files;
};

/** `HTTPRoute` is `HttpRoute` among constructs, as cdk8s spells names. */
export const className = (kind: string): string =>
  kind.replaceAll(/[A-Z]{2,}(?=[A-Z][a-z]|$)/g, (run) => run.charAt(0) + run.slice(1).toLowerCase());

const fileName = (kind: string): string =>
  className(kind)
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, "-")
    .toLowerCase();

const emitConstruct = ({ kind, group, version, module }: Kind, doc: string, up: string): string => {
  const name = className(kind);
  const apiVersion = group === "" ? version : `${group}/${version}`;
  // A construct may have the name of its own interface: that is imported under another.
  return `${header}
import type { ${kind} as Manifest } from ${literal(`@gatewright/crd-types/${module}`)};
import type { Construct } from "constructs";
import { KubernetesObject, type ObjectProps } from "${up}/kubernetes-object.ts";

const identity = { apiVersion: ${literal(apiVersion)}, kind: ${literal(kind)} } as const;

/** What a ${kind} says of itself; its name comes from the construct's place in the tree unless \`metadata\` gives one. */
export type ${name}Props = ObjectProps<Manifest>;

${docComment(doc)}export class ${name} extends KubernetesObject<${name}Props> {
  static readonly apiVersion = identity.apiVersion;
  static readonly kind = identity.kind;

  /** The object alone, for who needs it outside of a tree. */
  static manifest(props: ${name}Props): typeof identity & ${name}Props {
    return { ...identity, ...props };
  }

  constructor(scope: Construct, id: string, props: ${name}Props) {
    super(scope, id, identity, props);
  }
}
`;
};
