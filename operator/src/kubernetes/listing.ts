import { isFields } from "../lib/index.ts";
import type { ApiRequest, ApiResponse } from "./api-server.ts";
import { isRawObject, keyOfRaw, type RawObject, resourceVersionOf } from "./raw-object.ts";

/** A page of this size is parsed in some milliseconds, which is how long nobody else has a turn. */
const pageBytes = 500_000;
const maxPage = 500;
const minPage = 10;
/** Nobody knows yet how large they are, and a ConfigMap may have a megabyte. */
const firstPage = 50;

/** How many objects a page should have, by the size of those that came so far. */
export type PageSize = { readonly limit: () => number; readonly note: (bytes: number, objects: number) => void };

export function createPageSize(): PageSize {
  let limit = firstPage;
  return {
    limit: () => limit,
    note: (bytes, objects) => {
      if (objects > 0) limit = Math.max(minPage, Math.min(maxPage, Math.floor((pageBytes * objects) / bytes)));
    },
  };
}

/** One reading of a list, page by page. */
export type Listing = {
  /** What asks for the next page. A page that did not come can be asked for again. */
  readonly query: () => NonNullable<ApiRequest["query"]>;
  /** Takes a page. Undefined: the answer is no list. */
  readonly read: (response: ApiResponse) => Page | undefined;
  /** Keys of all objects so far. */
  readonly seen: ReadonlySet<string>;
  /** The version of the cluster that all pages show; known once the first is there. */
  readonly resourceVersion: () => string | undefined;
};

export type Page = { readonly objects: readonly RawObject[]; readonly isLast: boolean };

/** `whole`: without pages, which cannot expire half-way. */
export function createListing(pageSize: PageSize, whole: boolean): Listing {
  const seen = new Set<string>();
  let resourceVersion: string | undefined;
  let continueToken: string | undefined;
  return {
    query: () => (whole ? {} : { limit: pageSize.limit(), continue: continueToken }),
    read: ({ body, bytes = 0 }) => {
      const version = resourceVersionOf(body);
      if (version === undefined || !isFields(body)) return undefined;
      // Go writes an empty list as null where it was never filled.
      const items: unknown = body["items"] ?? [];
      if (!Array.isArray(items)) return undefined;
      const objects = items.filter(isRawObject);
      for (const object of objects) seen.add(keyOfRaw(object));
      pageSize.note(bytes, items.length);
      resourceVersion ??= version;
      continueToken = continueTokenOf(body);
      return { objects, isLast: continueToken === undefined };
    },
    seen,
    resourceVersion: () => resourceVersion,
  };
}

function continueTokenOf({ metadata }: Readonly<Record<string, unknown>>): string | undefined {
  const token = isFields(metadata) ? metadata["continue"] : undefined;
  return typeof token === "string" && token !== "" ? token : undefined;
}
