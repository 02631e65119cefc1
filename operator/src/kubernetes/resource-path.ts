export type ResourcePath = {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  /** Left out for kinds without namespaces, and for a list over all of them. */
  readonly namespace?: string;
  /** Left out for lists and for creating. */
  readonly name?: string;
  readonly subresource?: string;
};

/** The path of a resource, for example `/apis/apps/v1/namespaces/web/deployments/front/status`. Parts that a URL cannot carry are escaped. */
export function resourcePath({ group, version, plural, namespace, name, subresource }: ResourcePath): string {
  const parts = [
    ...(group === "" ? ["api"] : ["apis", group]),
    version,
    ...(namespace === undefined ? [] : ["namespaces", namespace]),
    plural,
    ...(name === undefined ? [] : [name]),
    ...(subresource === undefined ? [] : [subresource]),
  ];
  return `/${parts.map(encodeURIComponent).join("/")}`;
}
