import { isFields } from "../lib/index.ts";

/** An object as the API server sends it. Nothing but its identity has been looked at. */
export type RawObject = {
  readonly [field: string]: unknown;
  readonly metadata: {
    readonly [field: string]: unknown;
    readonly name: string;
    readonly namespace?: string;
    readonly resourceVersion: string;
  };
};

export function isRawObject(value: unknown): value is RawObject {
  if (!isFields(value) || !isFields(value["metadata"])) return false;
  const { name, namespace, resourceVersion } = value["metadata"];
  return (
    typeof name === "string" &&
    typeof resourceVersion === "string" &&
    (namespace === undefined || typeof namespace === "string")
  );
}

/** `namespace/name`, or `name` where there is no namespace. */
export const keyOfRaw = ({ metadata: { namespace, name } }: RawObject): string =>
  namespace === undefined ? name : `${namespace}/${name}`;

/** The `metadata.resourceVersion` of a list or a bookmark. */
export function resourceVersionOf(value: unknown): string | undefined {
  const metadata = isFields(value) ? value["metadata"] : undefined;
  const version = isFields(metadata) ? metadata["resourceVersion"] : undefined;
  return typeof version === "string" && version !== "" ? version : undefined;
}
