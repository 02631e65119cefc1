import assert from "node:assert/strict";
import fc from "fast-check";
import type { ResourceChange } from "./resource.ts";
import { type ResourceType, resourceTypes } from "./resource-types.ts";
import { routeTableOf } from "./snapshot.ts";
import { type Protocol } from "./stream.ts";
import { type Content, makeResource } from "./testing/content.ts";
import { Loopback } from "./testing/loopback.ts";

// Any sequence of publications, answers and reconnects leads to a client that has what was published, except for what it refuses.
// The fake Envoy checks every response on the way: the protocol, and that no route ever leads to a cluster that is not there and warm.

type World = {
  readonly clusters: Map<string, Content>;
  readonly tables: Map<string, { inline: string[]; edition: number; bad: boolean }>;
  /** The mode of a table is part of its name, as it is in real life. */
  readonly vhdsTables: ReadonlySet<string>;
  readonly hosts: Map<string, { cluster: string; bad: boolean; edition: number }>;
  readonly listeners: Map<string, { table: string; bad: boolean; edition: number }>;
};

type Edit =
  | { readonly kind: "cluster"; readonly cluster: number; readonly edition: number; readonly bad: boolean }
  | { readonly kind: "endpoints"; readonly cluster: number; readonly edition: number }
  | {
      readonly kind: "host";
      readonly table: number;
      readonly host: number;
      readonly cluster: number;
      readonly bad: boolean;
    }
  | { readonly kind: "dropHost"; readonly table: number; readonly host: number }
  | {
      readonly kind: "table";
      readonly table: number;
      readonly inline: readonly number[];
      readonly edition: number;
      readonly bad: boolean;
    }
  | {
      readonly kind: "listener";
      readonly listener: number;
      readonly table: number;
      readonly edition: number;
      readonly bad: boolean;
    }
  | { readonly kind: "dropListener"; readonly listener: number };

type Action =
  | {
      readonly kind: "publish";
      readonly edits: readonly Edit[];
      /** The stream has its turn only later. */
      readonly isLate: boolean;
    }
  | { readonly kind: "server"; readonly turns: number }
  | { readonly kind: "client"; readonly turns: number }
  | { readonly kind: "settle" }
  | { readonly kind: "wait"; readonly ms: number }
  | { readonly kind: "reconnect" | "restart" | "drained" }
  | { readonly kind: "askAgain"; readonly index: number };

const small = fc.nat({ max: 3 });
const edition = fc.nat({ max: 2 });

function arbitraryEdit(mayBeBad: boolean): fc.Arbitrary<Edit> {
  const bad = mayBeBad
    ? fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) })
    : fc.constant(false);
  return fc.oneof(
    fc.record({ kind: fc.constant("cluster" as const), cluster: small, edition, bad }),
    fc.record({ kind: fc.constant("endpoints" as const), cluster: small, edition }),
    fc.record({ kind: fc.constant("host" as const), table: small, host: small, cluster: small, bad }),
    fc.record({ kind: fc.constant("dropHost" as const), table: small, host: small }),
    fc.record({
      kind: fc.constant("table" as const),
      table: small,
      inline: fc.array(small, { maxLength: 2 }),
      edition,
      bad,
    }),
    fc.record({ kind: fc.constant("listener" as const), listener: small, table: small, edition, bad }),
    fc.record({ kind: fc.constant("dropListener" as const), listener: small }),
  );
}

function arbitraryAction(mayBeBad: boolean): fc.Arbitrary<Action> {
  return fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant("publish" as const),
        isLate: fc.boolean(),
        edits: fc.array(arbitraryEdit(mayBeBad), { minLength: 1, maxLength: 5 }),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant("server" as const), turns: fc.integer({ min: 1, max: 4 }) }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant("client" as const), turns: fc.integer({ min: 1, max: 4 }) }),
    },
    { weight: 2, arbitrary: fc.constant({ kind: "settle" as const }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.constantFrom(100, 5_000) }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        { kind: "reconnect" as const },
        { kind: "restart" as const },
        { kind: "drained" as const },
      ),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant("askAgain" as const), index: small }),
    },
  );
}

/** Edits a world such that what refers to something finds it. */
function editWorld(world: World, edits: readonly Edit[], endpointEditions: Map<string, number>): void {
  for (const edit of edits) {
    switch (edit.kind) {
      case "cluster":
        world.clusters.set(`c${edit.cluster}`, { edition: edit.edition, ...(edit.bad ? { bad: true } : {}) });
        break;
      case "endpoints":
        endpointEditions.set(`c${edit.cluster}`, edit.edition);
        break;
      case "host":
        world.hosts.set(`t${edit.table}/h${edit.host}`, { cluster: `c${edit.cluster}`, bad: edit.bad, edition: 0 });
        break;
      case "dropHost":
        world.hosts.delete(`t${edit.table}/h${edit.host}`);
        break;
      case "table":
        world.tables.set(`t${edit.table}`, {
          inline: edit.inline.map((cluster) => `c${cluster}`),
          edition: edit.edition,
          bad: edit.bad,
        });
        break;
      case "listener":
        world.listeners.set(`l${edit.listener}`, { table: `t${edit.table}`, bad: edit.bad, edition: edit.edition });
        break;
      case "dropListener":
        world.listeners.delete(`l${edit.listener}`);
    }
  }
}

/** The resources that a world makes: only what a listener leads to. */
function resourcesOf(
  world: World,
  endpointEditions: ReadonlyMap<string, number>,
): Map<string, [ResourceType, string, Content]> {
  const resources = new Map<string, [ResourceType, string, Content]>();
  const put = (type: ResourceType, name: string, content: Content) =>
    resources.set(`${type} ${name}`, [type, name, content]);
  const clusters = new Set<string>();
  for (const [name, { table, bad, edition: listenerEdition }] of world.listeners) {
    put("listener", name, { route: table, edition: listenerEdition, ...(bad ? { bad } : {}) });
    const {
      inline,
      edition: tableEdition,
      bad: badTable,
    } = world.tables.get(table) ?? { inline: [], edition: 0, bad: false };
    const vhds = world.vhdsTables.has(table);
    put("route", table, {
      edition: tableEdition,
      ...(badTable ? { bad: true } : {}),
      ...(vhds ? { vhds } : { clusters: inline }),
    });
    if (!vhds) for (const cluster of inline) clusters.add(cluster);
    if (vhds)
      for (const [host, { cluster, bad: badHost }] of world.hosts)
        if (routeTableOf(host) === table) {
          put("virtualHost", host, { clusters: [cluster], ...(badHost ? { bad: badHost } : {}) });
          clusters.add(cluster);
        }
  }
  for (const cluster of clusters) {
    put("cluster", cluster, world.clusters.get(cluster) ?? {});
    put("endpoint", cluster, { edition: endpointEditions.get(cluster) ?? 0 });
  }
  return resources;
}

function difference(
  before: ReadonlyMap<string, [ResourceType, string, Content]>,
  after: ReadonlyMap<string, [ResourceType, string, Content]>,
): ResourceChange[] {
  const changes: ResourceChange[] = [];
  for (const [key, [type, name, content]] of after)
    if (JSON.stringify(before.get(key)?.[2]) !== JSON.stringify(content))
      changes.push({ type, name, resource: makeResource(type, name, content) });
  for (const [key, [type, name]] of before) if (!after.has(key)) changes.push({ type, name, resource: undefined });
  return changes;
}

function play(protocol: Protocol, actions: readonly Action[], mayBeBad: boolean): void {
  const loopback = new Loopback(protocol);
  const { envoy } = loopback;
  envoy.checksRoutes = !mayBeBad;
  const world: World = {
    clusters: new Map(),
    tables: new Map(),
    vhdsTables: new Set(protocol === "delta" ? ["t0", "t2"] : []),
    hosts: new Map(),
    listeners: new Map(),
  };
  const endpointEditions = new Map<string, number>();
  let published = new Map<string, [ResourceType, string, Content]>();
  loopback.connect();
  for (const action of actions) {
    switch (action.kind) {
      case "publish": {
        editWorld(world, action.edits, endpointEditions);
        const next = resourcesOf(world, endpointEditions);
        loopback.publish(...difference(published, next));
        if (!action.isLate) loopback.run();
        published = next;
        break;
      }
      case "server":
        for (let turn = 0; turn < action.turns; turn++) loopback.stepServer();
        break;
      case "client":
        for (let turn = 0; turn < action.turns; turn++) loopback.stepClient();
        break;
      case "settle":
        loopback.settle();
        break;
      case "wait":
        // A client may be slow to answer, but it asks for all that it has at once.
        while (loopback.stepServer());
        loopback.clock.advance(action.ms);
        break;
      case "reconnect":
        loopback.connect();
        break;
      case "restart":
        loopback.disconnect();
        envoy.restart();
        loopback.connect();
        break;
      case "drained":
        envoy.drained();
        break;
      case "askAgain": {
        const names = [...envoy.config.endpoint.keys()];
        const name = names[action.index % Math.max(1, names.length)];
        if (name !== undefined && envoy.wants("endpoint", name)) envoy.askAgain("endpoint", name);
      }
    }
  }
  loopback.run();
  loopback.settleAll();
  envoy.drained();
  loopback.settleAll();
  check(loopback, published);
}

function check(loopback: Loopback, published: ReadonlyMap<string, [ResourceType, string, Content]>): void {
  const { envoy } = loopback;
  for (const [type, name, content] of published.values()) {
    if (!envoy.wants(type, name) || envoy.strays.has(`${type} ${name}`)) continue;
    // What has no place in the client does not come to it.
    if (type === "virtualHost" && !envoy.config.route.has(routeTableOf(name))) continue;
    const has = envoy.config[type].get(name)?.content;
    if (content.bad === true) assert.notEqual(has?.bad, true, `${type} ${name} is bad and was taken`);
    else assert.deepEqual(has, content, `${type} ${name}`);
  }
  if (envoy.protocol === "delta" && loopback.snapshot.published)
    assert.deepEqual(
      envoy.unanswered().filter((one) => !one.startsWith("route ") || published.has(one)),
      [],
    );
  // Who refuses new content keeps the old, and what that needs.
  if (loopback.refused.some((one) => !one.startsWith("cluster "))) return;
  for (const type of resourceTypes)
    for (const name of envoy.config[type].keys())
      if (type !== "endpoint" && type !== "route" && !envoy.strays.has(`${type} ${name}`))
        assert.ok(published.has(`${type} ${name}`), `${type} ${name} is left over`);
}

const runs = Number(process.env["FUZZ_RUNS"] ?? 300);

describe("a stream, whatever happens", () => {
  for (const protocol of ["delta", "sotw"] as const)
    for (const mayBeBad of [false, true])
      it(`${protocol}${mayBeBad ? ", with content that is refused" : ""}`, () => {
        fc.assert(
          fc.property(fc.array(arbitraryAction(mayBeBad), { minLength: 1, maxLength: 60, size: "max" }), (actions) =>
            play(protocol, actions, mayBeBad),
          ),
          { numRuns: runs },
        );
      });
});
