import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { isRecord, type JsonObject } from "./merge-patch.ts";

/** A kind as the server has it. */
export type ServedResource = {
  readonly group: string;
  readonly versions: readonly string[];
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
};

export type SeenRequest = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
};

/** What a request gets in place of an answer. `hang`: nothing at all. `raw`: whatever is done with the response. */
export type Reply =
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  | { readonly hang: true }
  | { readonly raw: (response: ServerResponse) => void };

export type GivenObject = JsonObject & {
  readonly metadata: JsonObject & { readonly name: string; readonly namespace?: string };
};
export type StoredObject = GivenObject & { readonly metadata: { readonly resourceVersion: string } };

/** An API server behind a real socket that lists in pages and watches as the real one does, and that can be made to fail. */
export type HttpServer = {
  readonly url: string;
  readonly requests: SeenRequest[];
  readonly serve: (resource: ServedResource) => void;
  readonly withdraw: (plural: string) => void;
  readonly put: (plural: string, object: GivenObject) => StoredObject;
  readonly remove: (plural: string, key: string) => void;
  readonly objects: (plural: string) => ReadonlyMap<string, StoredObject>;
  /** Tells all watches how far they are. */
  readonly bookmark: () => void;
  /** Forgets the past: watches and pages from before are answered by 410, as a status or as an event. */
  readonly compact: () => void;
  /** Ends all watches: `end` regularly, `reset` by breaking connections, `half-line` in the middle of an event. */
  readonly cut: (how: "end" | "reset" | "half-line") => void;
  /** Sends something to all watches of a kind. */
  readonly send: (plural: string, text: string) => void;
  readonly watches: (plural?: string) => number;
  /** The first that returns something decides. Returns how to end it. */
  readonly intercept: (interceptor: (request: SeenRequest) => Reply | undefined) => () => void;
  readonly close: () => Promise<void>;
  /** How 410 is told to watches. */
  expiry: "status" | "event";
  /** What discovery says. */
  discovery: "aggregated" | "by group";
};

type Watch = { readonly plural: string; readonly version: string; readonly response: ServerResponse };
type Past = { readonly version: number; readonly plural: string; readonly type: string; readonly object: StoredObject };

export const statusOf = (code: number, reason: string, message: string): JsonObject => ({
  kind: "Status",
  apiVersion: "v1",
  status: "Failure",
  reason,
  message,
  code,
});
const expired = statusOf(410, "Expired", "too old resource version");

export async function startHttpServer(): Promise<HttpServer> {
  const resources = new Map<string, ServedResource>();
  const collections = new Map<string, Map<string, StoredObject>>();
  const watches = new Set<Watch>();
  const sockets = new Set<Socket>();
  const interceptors = new Set<(request: SeenRequest) => Reply | undefined>();
  const pages = new Map<string, { readonly version: number; readonly items: readonly StoredObject[] }>();
  const requests: SeenRequest[] = [];
  let past: Past[] = [];
  let version = 1_000;
  let forgotten = 0;

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://x");
    const seen = { method: request.method ?? "", path: pathname, query: searchParams, headers: request.headers };
    requests.push(seen);
    request.resume();
    for (const interceptor of interceptors) {
      const reply = interceptor(seen);
      if (reply !== undefined) return give(response, reply);
    }
    answer(seen, response);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  assert.ok(isRecord(address));

  function give(response: ServerResponse, reply: Reply): void {
    if ("hang" in reply) return;
    if ("raw" in reply) return reply.raw(response);
    const text = typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body ?? {});
    response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers }).end(text);
  }

  function answer(request: SeenRequest, response: ServerResponse): void {
    const found = find(request.path);
    if (found === undefined)
      return give(response, discover(request) ?? { status: 404, body: statusOf(404, "NotFound", "not found") });
    const { resource, version: apiVersion } = found;
    if (request.query.get("watch") === "true") watch(resource.plural, apiVersion, request, response);
    else give(response, list(resource, apiVersion, request.query));
  }

  function find(path: string): { readonly resource: ServedResource; readonly version: string } | undefined {
    for (const resource of resources.values())
      for (const name of resource.versions)
        if (path === `${groupPath(resource.group)}/${name}/${resource.plural}`) return { resource, version: name };
    return undefined;
  }

  function list({ group, plural, kind }: ServedResource, apiVersion: string, query: URLSearchParams): Reply {
    const token = query.get("continue");
    const page = token === null ? { version, items: [...collection(plural).values()] } : pages.get(token);
    if (page === undefined || page.version < forgotten) return { status: 410, body: expired };
    const limit = Number(query.get("limit") ?? Number.POSITIVE_INFINITY);
    const rest = page.items.slice(limit);
    const next = rest.length === 0 ? undefined : `${plural}-${page.version}-${rest.length}`;
    if (next !== undefined) pages.set(next, { version: page.version, items: rest });
    const at = group === "" ? apiVersion : `${group}/${apiVersion}`;
    const metadata = { resourceVersion: String(page.version), ...(next !== undefined && { continue: next }) };
    // As for the server's own kinds, whose items do not say what they are.
    const items = page.items.slice(0, limit).map((item) => ({ ...item, apiVersion: undefined, kind: undefined }));
    return { status: 200, body: { kind: `${kind}List`, apiVersion: at, metadata, items } };
  }

  function watch(plural: string, apiVersion: string, { query }: SeenRequest, response: ServerResponse): void {
    const from = Number(query.get("resourceVersion"));
    if (from < forgotten && api.expiry === "status") return give(response, { status: 410, body: expired });
    response.writeHead(200, { "content-type": "application/json" });
    response.flushHeaders();
    if (from < forgotten) return void response.end(lineOf("ERROR", expired));
    for (const event of past)
      if (event.version > from && event.plural === plural) response.write(lineOf(event.type, event.object));
    const entry = { plural, version: apiVersion, response };
    watches.add(entry);
    response.on("close", () => watches.delete(entry));
  }

  function discover({ path, headers }: SeenRequest): Reply | undefined {
    const isAggregated = api.discovery === "aggregated" && headers.accept?.includes("APIGroupDiscoveryList");
    const all = [...resources.values()];
    const names = [...new Set(all.map(({ group }) => group).filter((group) => group !== ""))];
    if (path === "/api")
      return { status: 200, body: isAggregated ? aggregated([""], all) : { kind: "APIVersions", versions: ["v1"] } };
    if (path === "/apis")
      return {
        status: 200,
        body: isAggregated ? aggregated(names, all) : { kind: "APIGroupList", groups: groupsOf(all) },
      };
    const inVersion = all.filter(({ group, versions }) =>
      versions.some((name) => path === `${groupPath(group)}/${name}`),
    );
    if (inVersion.length === 0) return undefined;
    return {
      status: 200,
      body: {
        kind: "APIResourceList",
        resources: inVersion.flatMap(({ plural, kind, namespaced }) => [
          { name: plural, kind, namespaced, verbs: ["get", "list", "watch"] },
          { name: `${plural}/status`, kind, namespaced, verbs: ["get"] },
        ]),
      },
    };
  }

  const collection = (plural: string) => {
    const found = collections.get(plural) ?? new Map<string, StoredObject>();
    collections.set(plural, found);
    return found;
  };

  function happen(type: string, plural: string, object: StoredObject): void {
    past.push({ version, plural, type, object });
    for (const { plural: watched, response } of watches) if (watched === plural) response.write(lineOf(type, object));
  }

  const api: HttpServer = {
    url: `http://127.0.0.1:${String(address["port"])}`,
    requests,
    serve: (resource) => resources.set(resource.plural, resource),
    withdraw: (plural) => {
      resources.delete(plural);
      collections.delete(plural);
      for (const { plural: watched, response } of watches) if (watched === plural) response.end();
    },
    put: (plural, object) => {
      const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(++version) } };
      const key = keyOf(stored);
      const isNew = !collection(plural).has(key);
      collection(plural).set(key, stored);
      happen(isNew ? "ADDED" : "MODIFIED", plural, stored);
      return stored;
    },
    remove: (plural, key) => {
      const object = collection(plural).get(key);
      if (object === undefined) return;
      collection(plural).delete(key);
      const metadata = { ...object.metadata, resourceVersion: String(++version) };
      happen("DELETED", plural, { ...object, metadata });
    },
    objects: collection,
    bookmark: () => {
      for (const { response } of watches)
        response.write(lineOf("BOOKMARK", { metadata: { resourceVersion: String(version) } }));
    },
    compact: () => {
      version++;
      forgotten = version;
      past = [];
    },
    cut: (how) => {
      for (const watching of watches) {
        // Gone at once, not when the socket has closed: nothing more is sent to it.
        watches.delete(watching);
        const { response } = watching;
        if (how === "end") response.end();
        else if (how === "reset") response.destroy();
        else response.write('{"type":"MODIFIED","object":{"metadata":{"na', () => response.destroy());
      }
    },
    send: (plural, text) => {
      for (const { plural: watched, response } of watches) if (watched === plural) response.write(text);
    },
    watches: (plural) => [...watches].filter((entry) => plural === undefined || entry.plural === plural).length,
    intercept: (interceptor) => {
      interceptors.add(interceptor);
      return () => interceptors.delete(interceptor);
    },
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
    expiry: "status",
    discovery: "aggregated",
  };
  return api;
}

const lineOf = (type: string, object: unknown): string => `${JSON.stringify({ type, object })}\n`;

const groupPath = (group: string): string => (group === "" ? "/api" : `/apis/${group}`);

const keyOf = ({ metadata: { namespace, name } }: GivenObject): string =>
  namespace === undefined ? name : `${namespace}/${name}`;

function aggregated(groups: readonly string[], all: readonly ServedResource[]): JsonObject {
  return {
    kind: "APIGroupDiscoveryList",
    items: groups.map((group) => {
      const own = all.filter((resource) => resource.group === group);
      const versions = [...new Set(own.flatMap((resource) => resource.versions))];
      return {
        metadata: { name: group },
        versions: versions.map((version) => ({
          version,
          freshness: "Current",
          resources: own
            .filter((resource) => resource.versions.includes(version))
            .map(({ plural, kind, namespaced }) => ({
              resource: plural,
              responseKind: { group, version, kind },
              scope: namespaced ? "Namespaced" : "Cluster",
              verbs: ["get", "list", "watch"],
            })),
        })),
      };
    }),
  };
}

function groupsOf(all: readonly ServedResource[]): readonly JsonObject[] {
  const names = [...new Set(all.map(({ group }) => group).filter((group) => group !== ""))];
  return names.map((name) => ({
    name,
    versions: [...new Set(all.filter(({ group }) => group === name).flatMap(({ versions }) => versions))].map(
      (version) => ({ version, groupVersion: `${name}/${version}` }),
    ),
  }));
}
