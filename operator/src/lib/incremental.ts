// Incremental computation: the one mechanism by which cost follows the change and not the cluster.
//
// A graph has three sorts of tables, all keyed by strings:
//   source   what comes from outside,
//   derived  a pure function of a key, memoized; what it reads is recorded, so it runs again only when that has changed,
//   index    buckets of another table's keys: the inverse of a "belongs to" that a value states about itself.
// A table may read only tables made before it, so one pass in the order of making settles every change.

import { type Few, hasItem, itemsOf, withItem, withoutItem } from "./few.ts";

/** A keyed table. Reading it inside a derived function records a dependency. */
export type Table<V> = {
  readonly name: string;
  /** The value at `key`, or undefined where there is none. */
  readonly get: (key: string) => V | undefined;
  /** All keys with a value, in order of appearance. Not recorded: for use outside derived functions only. */
  readonly keys: () => Iterable<string>;
  /** How many keys have a value. Not recorded. */
  readonly size: () => number;
  /** Collects the keys whose value changes from now on; `take` hands them over and starts anew. */
  readonly watch: () => Changes;
};

export type Changes = { readonly take: () => ReadonlySet<string> };

export type Source<V> = Table<V> & { readonly set: (key: string, value: V | undefined) => void };

export type SourceOptions<V> = {
  /** Where this says that nothing follows from the difference, the new value takes the old one's place, and only who watches is told. */
  readonly isMoot?: (left: V, right: V) => boolean;
};

export type DerivedOptions<V> = {
  /** The tables whose keys are this table's keys. */
  readonly keysOf: readonly Table<unknown>[];
  /** Undefined means: no value at this key. Must be pure and must not read what it has not read through tables. */
  readonly compute: (key: string) => V | undefined;
  /** Where this says that nothing has changed, nothing downstream runs. Identity unless given. */
  readonly equal?: (left: V, right: V) => boolean;
};

export type Graph = {
  readonly source: <V>(name: string, equal?: (left: V, right: V) => boolean, options?: SourceOptions<V>) => Source<V>;
  readonly derive: <V>(name: string, options: DerivedOptions<V>) => Table<V>;
  /** Buckets of `table`'s keys. The sets are live: read them at once, keep none. */
  readonly index: <V>(
    name: string,
    table: Table<V>,
    bucketsOf: (value: V, key: string) => Iterable<string>,
  ) => Table<ReadonlySet<string>>;
  /** Brings every table up to date. */
  readonly settle: () => void;
  /** The same in slices of about `sliceMs`, with the event loop free in between. Sources must not be set meanwhile. */
  readonly settleInSlices: (sliceMs: number) => Promise<void>;
  /** How often derived functions ran since the graph was made: the measure of work done. */
  readonly computations: () => number;
};

export type GraphOptions = {
  /** A derived function threw, which is a bug: its last good value stands and the rest goes on. */
  readonly onError?: (table: string, key: string, error: unknown) => void;
};

/** One key of one table. Whoever has read it is among its `dependents`; what it was computed from are its `dependencies`. */
type Cell = {
  readonly table: InternalTable;
  readonly key: string;
  value: unknown;
  dependents: Few<Cell>;
  dependencies: Few<Cell>;
};

type InternalTable = {
  readonly name: string;
  readonly rank: number;
  readonly cells: Map<string, Cell>;
  readonly dirty: Set<string>;
  readonly followers: InternalTable[];
  readonly watchers: Set<string>[];
  readonly refresh: (key: string) => void;
  size: number;
};

const nothing: ReadonlySet<string> = new Set();

export function createGraph(options: GraphOptions = {}): Graph {
  const tables: InternalTable[] = [];
  const internals = new WeakMap<object, InternalTable>();
  let reader: Cell | undefined;
  let computations = 0;

  function internal(table: Table<unknown>): InternalTable {
    const found = internals.get(table);
    if (found === undefined) throw new Error(`table ${table.name} belongs to another graph`);
    return found;
  }

  function makeTable(name: string, refresh: (key: string) => void): InternalTable {
    const table: InternalTable = {
      name,
      rank: tables.length,
      cells: new Map(),
      dirty: new Set(),
      followers: [],
      watchers: [],
      refresh,
      size: 0,
    };
    tables.push(table);
    return table;
  }

  function cellOf(table: InternalTable, key: string): Cell {
    let cell = table.cells.get(key);
    if (cell === undefined) {
      cell = { table, key, value: undefined, dependents: undefined, dependencies: undefined };
      table.cells.set(key, cell);
    }
    return cell;
  }

  function read(table: InternalTable, key: string): unknown {
    if (reader === undefined) return table.cells.get(key)?.value;
    if (table.rank >= reader.table.rank)
      throw new Error(`${reader.table.name} may not read ${table.name}, which is made after it`);
    // An absent value is a dependency too: its appearance must wake the reader.
    const cell = cellOf(table, key);
    cell.dependents = withItem(cell.dependents, reader);
    reader.dependencies = withItem(reader.dependencies, cell);
    return cell.value;
  }

  /** The value at `key` may have been replaced in place (an index bucket): callers say that it changed. */
  function write(table: InternalTable, key: string, value: unknown): void {
    const cell = cellOf(table, key);
    const appeared = cell.value === undefined && value !== undefined;
    const vanished = cell.value !== undefined && value === undefined;
    if (cell.value === undefined && value === undefined) return dropIfUnused(cell);
    cell.value = value;
    if (appeared) table.size++;
    if (vanished) table.size--;
    for (const watcher of table.watchers) watcher.add(key);
    for (const follower of table.followers) if (appeared || vanished) follower.dirty.add(key);
    for (const { table: reading, key: at } of itemsOf(cell.dependents)) reading.dirty.add(at);
    dropIfUnused(cell);
  }

  function dropIfUnused({ table, key, value, dependents, dependencies }: Cell): void {
    if (value === undefined && dependents === undefined && dependencies === undefined) table.cells.delete(key);
  }

  function release(cell: Cell): void {
    for (const dependency of itemsOf(cell.dependencies)) {
      dependency.dependents = withoutItem(dependency.dependents, cell);
      dropIfUnused(dependency);
    }
    cell.dependencies = undefined;
  }

  function publicTable<V>(table: InternalTable): Table<V> {
    const view: Table<V> = {
      name: table.name,
      get: (key) => read(table, key) as V | undefined,
      keys: function* () {
        for (const [key, cell] of table.cells) if (cell.value !== undefined) yield key;
      },
      size: () => table.size,
      watch: () => {
        let pending = new Set<string>();
        table.watchers.push(pending);
        return {
          take: () => {
            if (pending.size === 0) return nothing;
            const taken = pending;
            pending = new Set();
            table.watchers[table.watchers.indexOf(taken)] = pending;
            return taken;
          },
        };
      },
    };
    internals.set(view, table);
    return view;
  }

  function source<V>(
    name: string,
    equal: (left: V, right: V) => boolean = Object.is,
    { isMoot }: SourceOptions<V> = {},
  ): Source<V> {
    const table = makeTable(name, () => undefined);
    const set = (key: string, value: V | undefined) => {
      const cell = table.cells.get(key);
      const before = cell?.value as V | undefined;
      if (before === value || (before !== undefined && value !== undefined && equal(before, value))) return;
      if (cell === undefined || before === undefined || value === undefined || isMoot?.(before, value) !== true)
        return write(table, key, value);
      cell.value = value;
      for (const watcher of table.watchers) watcher.add(key);
    };
    const view = { ...publicTable<V>(table), set };
    internals.set(view, table);
    return view;
  }

  function derive<V>(name: string, { keysOf, compute, equal = Object.is }: DerivedOptions<V>): Table<V> {
    const followed = keysOf.map(internal);
    const isWanted = (key: string) => followed.some((table) => table.cells.get(key)?.value !== undefined);

    function refresh(key: string): void {
      const cell = cellOf(table, key);
      release(cell);
      if (!isWanted(key)) return write(table, key, undefined);
      const before = cell.value as V | undefined;
      let after: V | undefined;
      reader = cell;
      try {
        computations++;
        after = compute(key);
      } catch (error) {
        if (options.onError === undefined) throw error;
        options.onError(name, key, error);
        after = before;
      } finally {
        reader = undefined;
      }
      if (before === undefined || after === undefined || !(before === after || equal(before, after)))
        write(table, key, after);
    }

    const table = makeTable(name, refresh);
    for (const upstream of followed) {
      upstream.followers.push(table);
      for (const [key, cell] of upstream.cells) if (cell.value !== undefined) table.dirty.add(key);
    }
    return publicTable<V>(table);
  }

  function index<V>(
    name: string,
    of: Table<V>,
    bucketsOf: (value: V, key: string) => Iterable<string>,
  ): Table<ReadonlySet<string>> {
    const upstream = internal(of);
    const memberships = new Map<string, Few<string>>();

    function refresh(key: string): void {
      const value = upstream.cells.get(key)?.value as V | undefined;
      const before = memberships.get(key);
      let after: Few<string>;
      if (value !== undefined) for (const bucket of bucketsOf(value, key)) after = withItem(after, bucket);
      for (const bucket of itemsOf(before)) if (!hasItem(after, bucket)) leave(bucket, key);
      for (const bucket of itemsOf(after)) if (!hasItem(before, bucket)) join(bucket, key);
      if (after === undefined) memberships.delete(key);
      else memberships.set(key, after);
    }

    function join(bucket: string, key: string): void {
      const members = (table.cells.get(bucket)?.value as Set<string> | undefined) ?? new Set<string>();
      members.add(key);
      write(table, bucket, members);
    }

    function leave(bucket: string, key: string): void {
      const members = table.cells.get(bucket)?.value as Set<string>;
      members.delete(key);
      write(table, bucket, members.size === 0 ? undefined : members);
    }

    const table = makeTable(name, refresh);
    // An index must see every change of a value, not only keys that come and go: it watches instead of following.
    upstream.watchers.push(table.dirty);
    for (const [key, cell] of upstream.cells) if (cell.value !== undefined) table.dirty.add(key);
    return publicTable<ReadonlySet<string>>(table);
  }

  function* steps(): Generator<void> {
    for (const table of tables) {
      // As nearly all of the hundreds are in any one round.
      if (table.dirty.size === 0) continue;
      // Only lower tables make this one dirty, and they are done: the set does not grow while it is worked off.
      for (const key of table.dirty) {
        table.dirty.delete(key);
        table.refresh(key);
        yield;
      }
    }
  }

  return {
    source,
    derive,
    index,
    settle: () => {
      for (const _ of steps());
    },
    settleInSlices: async (sliceMs) => {
      let started = performance.now();
      for (const _ of steps()) {
        if (performance.now() - started < sliceMs) continue;
        await new Promise<void>((resolve) => setImmediate(resolve));
        started = performance.now();
      }
    },
    computations: () => computations,
  };
}
