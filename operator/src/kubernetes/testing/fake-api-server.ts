import { randomUUID } from "node:crypto";
import { deepEqual } from "../../lib/index.ts";
import { type ApiRequest, type ApiResponse, type ApiServer, ApiUnreachableError } from "../api-server.ts";
import { applyJsonPatch } from "./json-patch.ts";
import { applyMergePatch, isRecord, type JsonObject } from "./merge-patch.ts";

/** An object as the fake keeps it. */
export type FakeObject = JsonObject & {
  readonly metadata: JsonObject & {
    readonly uid: string;
    readonly resourceVersion: string;
    readonly generation: number;
  };
};

/**
 * What happens to a request before the server sees it: an answer in its place, an error, or nothing. A promise holds the
 * request until it resolves.
 */
export type Interceptor = (
  request: ApiRequest,
) => ApiResponse | Error | undefined | Promise<ApiResponse | Error | undefined>;

/**
 * An API server in memory. Keeps objects by the path of their resource (`/apis/apps/v1/namespaces/web/deployments/front`), gives
 * them resourceVersions that rise, a uid, and a generation that rises when anything but metadata and status changes; keeps status
 * apart from the rest; answers 404, 409 for stale resourceVersions and existing names. Knows no schemas, no field managers and no
 * watches: `onChange` tells what a watch would.
 */
export type FakeApiServer = ApiServer & {
  /** All requests so far, those that were intercepted too. */
  readonly requests: ApiRequest[];
  readonly get: (path: string) => FakeObject | undefined;
  readonly paths: () => readonly string[];
  /** Stores an object as somebody else would, status and all, over whatever is there. */
  readonly put: (path: string, object: JsonObject) => FakeObject;
  readonly delete: (path: string) => void;
  /** The first interceptor that returns something decides. Returns how to end it. */
  readonly intercept: (interceptor: Interceptor) => () => void;
  /** Calls `listener` after each change, with undefined for an object that is gone. */
  readonly onChange: (listener: (path: string, object: FakeObject | undefined) => void) => () => void;
};

export const failure = (status: number, reason: string, message: string): ApiResponse => ({
  status,
  body: { kind: "Status", apiVersion: "v1", status: "Failure", reason, message, code: status },
});

/** What a real server answers to who makes something in a namespace that is being deleted. */
export function failureOfEndingNamespace(namespace: string): ApiResponse {
  const { status, body } = failure(
    403,
    "Forbidden",
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  );
  const message = `namespace ${namespace} is being terminated`;
  const causes = [{ reason: "NamespaceTerminating", message, field: "metadata.namespace" }];
  return { status, body: { ...(isRecord(body) && body), details: { causes } } };
}

export function createFakeApiServer(): FakeApiServer {
  const objects = new Map<string, FakeObject>();
  const requests: ApiRequest[] = [];
  const interceptors = new Set<Interceptor>();
  const listeners = new Set<(path: string, object: FakeObject | undefined) => void>();
  let version = 1_000;

  function tell(path: string): void {
    for (const listener of listeners) listener(path, objects.get(path));
  }

  function store(path: string, object: JsonObject): FakeObject {
    const before = objects.get(path);
    const metadata = isRecord(object["metadata"]) ? object["metadata"] : {};
    const stored: FakeObject = {
      ...object,
      metadata: {
        ...metadata,
        uid: before?.metadata.uid ?? randomUUID(),
        generation: generationOf(before, object),
        resourceVersion: before?.metadata.resourceVersion ?? "",
      },
    };
    // What changes nothing makes no new version, and no watch tells of it.
    if (before !== undefined && deepEqual(before, stored)) return before;
    version++;
    const next = { ...stored, metadata: { ...stored.metadata, resourceVersion: String(version) } };
    objects.set(path, next);
    tell(path);
    return next;
  }

  function remove(path: string): void {
    if (objects.delete(path)) tell(path);
  }

  function answer(request: ApiRequest): ApiResponse {
    const isStatus = request.path.endsWith("/status");
    const path = isStatus ? request.path.slice(0, -"/status".length) : request.path;
    const { method } = request;
    const body = copyOf(request.body);
    if (method === "POST") return create(path, body);
    const current = objects.get(path);
    if (method === "GET" && current === undefined && isCollection(path)) return list(path);
    if (current === undefined) return failure(404, "NotFound", `${path} not found`);
    if (method === "GET") return { status: 200, body: copyOf(current) };
    if (method === "DELETE") {
      remove(path);
      return { status: 200, body: copyOf(current) };
    }
    const isJsonPatch = request.contentType === "application/json-patch+json";
    const steps = Array.isArray(request.body) ? structuredClone(request.body) : [];
    const next = isJsonPatch
      ? applyJsonPatch(current, steps)
      : method === "PUT"
        ? body
        : applyMergePatch(current, body);
    if (next === undefined)
      return failure(422, "Invalid", "the server rejected our request due to an error in our request");
    return change(path, current, { isStatus, next, given: resourceVersionOf(body) });
  }

  function change(
    path: string,
    current: FakeObject,
    { isStatus, next, given }: { isStatus: boolean; next: JsonObject; given: string | undefined },
  ): ApiResponse {
    if (given !== undefined && given !== current.metadata.resourceVersion)
      return failure(409, "Conflict", `Operation cannot be fulfilled on ${path}: the object has been modified`);
    const merged = isStatus ? { ...current, status: next["status"] } : { ...next, status: current["status"] };
    if (merged.status === undefined) delete merged.status;
    return { status: 200, body: copyOf(store(path, merged)) };
  }

  function create(collection: string, body: JsonObject): ApiResponse {
    const metadata = body["metadata"];
    const name = isRecord(metadata) ? metadata["name"] : undefined;
    if (typeof name !== "string") return failure(422, "Invalid", "metadata.name: Required value");
    const path = `${collection}/${name}`;
    if (objects.has(path)) return failure(409, "AlreadyExists", `${path} already exists`);
    return { status: 201, body: copyOf(store(path, body)) };
  }

  const isCollection = (path: string) => [...objects.keys()].some((key) => key.startsWith(`${path}/`));
  const list = (path: string): ApiResponse => ({
    status: 200,
    body: {
      kind: "List",
      metadata: { resourceVersion: String(version) },
      items: [...objects].filter(([key]) => key.startsWith(`${path}/`)).map(([, object]) => copyOf(object)),
    },
  });

  async function intercepted(request: ApiRequest): Promise<ApiResponse | undefined> {
    for (const interceptor of interceptors) {
      const outcome = await orAborted(interceptor(request), request.signal);
      if (outcome instanceof Error) throw outcome;
      if (outcome !== undefined) return outcome;
    }
    return undefined;
  }

  return {
    address: "fake://api",
    requests,
    request: async (request) => {
      requests.push(request);
      // Never at once: no caller may rely on it.
      await Promise.resolve();
      return (await intercepted(request)) ?? answer(request);
    },
    stream: () => Promise.reject(new Error("this API server has no watches")),
    close: () => undefined,
    get: (path) => objects.get(path),
    paths: () => [...objects.keys()],
    put: store,
    delete: remove,
    intercept: (interceptor) => {
      interceptors.add(interceptor);
      return () => interceptors.delete(interceptor);
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** A server and its clients share no objects. */
const copyOf = (value: unknown): JsonObject => (isRecord(value) ? structuredClone(value) : {});

function resourceVersionOf(body: JsonObject): string | undefined {
  const metadata = body["metadata"];
  const given = isRecord(metadata) ? metadata["resourceVersion"] : undefined;
  return typeof given === "string" && given !== "" ? given : undefined;
}

function generationOf(before: FakeObject | undefined, after: JsonObject): number {
  if (before === undefined) return 1;
  const content = (object: JsonObject) => ({ ...object, metadata: undefined, status: undefined });
  return before.metadata.generation + (deepEqual(content(before), content(after)) ? 0 : 1);
}

async function orAborted<T>(work: T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work;
  const aborted = new Promise<never>((_, reject) => {
    const fail = () => reject(new ApiUnreachableError("aborted"));
    if (signal.aborted) fail();
    else signal.addEventListener("abort", fail, { once: true });
  });
  return await Promise.race([work, aborted]);
}
