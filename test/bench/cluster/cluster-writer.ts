import type { ApiResponse, ApiServer } from "../../../operator/src/kubernetes/index.ts";
import type { KubernetesObject } from "./objects.ts";

const pluralOf = (kind: string): string =>
  kind
    .toLowerCase()
    .replace(/(?<![aeiou])y$/, "ie")
    .replace(/s$/, "se")
    .concat("s");

/** The path of all objects of a kind, in their namespace if they have one. */
export function collectionPath({ apiVersion, kind, metadata }: KubernetesObject): string {
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const place = metadata.namespace === undefined ? "" : `/namespaces/${metadata.namespace}`;
  return `${root}${place}/${pluralOf(kind)}`;
}

export const objectPath = (object: KubernetesObject): string => `${collectionPath(object)}/${object.metadata.name}`;

/** Writes objects as a user does, and fails where the API server does not take one. */
export type ClusterWriter = {
  readonly create: (object: KubernetesObject) => Promise<void>;
  /** Sets what the object says over what is there. */
  readonly merge: (object: KubernetesObject) => Promise<void>;
  readonly remove: (object: KubernetesObject) => Promise<void>;
  readonly read: (path: string) => Promise<unknown>;
};

export function createWriter(api: ApiServer): ClusterWriter {
  const done = async (answer: Promise<ApiResponse>, what: string): Promise<ApiResponse> => {
    const response = await answer;
    if (response.status >= 300)
      throw new Error(`${what}: ${response.status} ${JSON.stringify(response.body).slice(0, 500)}`);
    return response;
  };
  return {
    create: async (body) => {
      const path = collectionPath(body);
      await done(api.request({ method: "POST", path, body }), `POST ${path}`);
    },
    merge: async (body) => {
      const path = objectPath(body);
      const contentType = "application/merge-patch+json";
      await done(api.request({ method: "PATCH", path, body, contentType }), `PATCH ${path}`);
    },
    remove: async (object) => {
      const path = objectPath(object);
      await done(api.request({ method: "DELETE", path }), `DELETE ${path}`);
    },
    read: async (path) => (await done(api.request({ method: "GET", path }), `GET ${path}`)).body,
  };
}

/** Does the work for each item, so many at a time. */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let at = next++; at < items.length; at = next++) {
      const item = items[at];
      if (item !== undefined) await work(item);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
}
