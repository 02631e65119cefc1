import assert from "node:assert/strict";
import fc from "fast-check";
import { createGraph, type Graph, type Source, type Table } from "./incremental.ts";

const entries = <V>(table: Table<V>): [string, V][] =>
  [...table.keys()].toSorted().flatMap((key) => {
    const value = table.get(key);
    return value === undefined ? [] : [[key, value] as [string, V]];
  });

describe("createGraph()", () => {
  it("replaces a value from which nothing else follows for those who watch only", () => {
    const graph = createGraph();
    const words = graph.source<string>("words", Object.is, {
      isMoot: (left, right) => left.toLowerCase() === right.toLowerCase(),
    });
    const lengths = graph.derive("lengths", { keysOf: [words], compute: (key) => words.get(key)?.length });
    const changes = words.watch();
    words.set("a", "one");
    graph.settle();
    changes.take();
    words.set("a", "ONE");
    graph.settle();
    assert.equal(words.get("a"), "ONE");
    assert.deepEqual([...changes.take()], ["a"]);
    assert.equal(graph.computations(), 1);
    words.set("a", "three");
    words.set("b", "B");
    graph.settle();
    assert.deepEqual(entries(lengths), [
      ["a", 5],
      ["b", 1],
    ]);
    words.set("a", undefined);
    graph.settle();
    assert.deepEqual(entries(lengths), [["b", 1]]);
  });

  it("runs a derived function again only when what it read has changed", () => {
    const graph = createGraph();
    const names = graph.source<string>("names");
    const greetings = graph.source<string>("greetings");
    const lines = graph.derive("lines", {
      keysOf: [names],
      compute: (key) => `${greetings.get("default") ?? "…"} ${names.get(key)}`,
    });
    names.set("a", "Ann");
    names.set("b", "Bob");
    graph.settle();
    assert.equal(graph.computations(), 2);
    names.set("b", "Ben");
    graph.settle();
    assert.equal(graph.computations(), 3);
    assert.deepEqual(entries(lines), [
      ["a", "… Ann"],
      ["b", "… Ben"],
    ]);
    // An absent value was read: its appearance wakes both readers.
    greetings.set("default", "Hello");
    graph.settle();
    assert.deepEqual(entries(lines), [
      ["a", "Hello Ann"],
      ["b", "Hello Ben"],
    ]);
    names.set("a", undefined);
    graph.settle();
    assert.deepEqual(entries(lines), [["b", "Hello Ben"]]);
  });

  it("stops where a result is equal", () => {
    const graph = createGraph();
    const numbers = graph.source<number>("numbers");
    const parity = graph.derive("parity", { keysOf: [numbers], compute: (key) => (numbers.get(key) ?? 0) % 2 });
    const words = graph.derive("words", {
      keysOf: [parity],
      compute: (key) => (parity.get(key) === 0 ? "even" : "odd"),
    });
    numbers.set("n", 2);
    graph.settle();
    const changes = words.watch();
    const before = graph.computations();
    numbers.set("n", 4);
    graph.settle();
    assert.equal(graph.computations(), before + 1);
    assert.equal(changes.take().size, 0);
    numbers.set("n", 5);
    graph.settle();
    assert.deepEqual([...changes.take()], ["n"]);
    assert.equal(changes.take().size, 0);
  });

  it("keeps the last good value where a function throws, and goes on", () => {
    const errors: string[] = [];
    const graph = createGraph({ onError: (table, key) => errors.push(`${table}/${key}`) });
    const inputs = graph.source<number>("inputs");
    const roots = graph.derive("roots", {
      keysOf: [inputs],
      compute: (key) => {
        const value = inputs.get(key) ?? 0;
        if (value < 0) throw new RangeError("negative");
        return Math.sqrt(value);
      },
    });
    inputs.set("x", 9);
    graph.settle();
    inputs.set("x", -1);
    inputs.set("y", 16);
    graph.settle();
    assert.deepEqual(errors, ["roots/x"]);
    assert.deepEqual(entries(roots), [
      ["x", 3],
      ["y", 4],
    ]);
    inputs.set("x", 25);
    graph.settle();
    assert.equal(roots.get("x"), 5);
  });

  it("refuses to read upwards", () => {
    const graph = createGraph();
    const base = graph.source<number>("base");
    const later: { table?: Table<number> } = {};
    graph.derive("lower", { keysOf: [base], compute: (key) => later.table?.get(key) });
    later.table = graph.derive("upper", { keysOf: [base], compute: (key) => base.get(key) });
    base.set("k", 1);
    assert.throws(() => graph.settle(), /lower may not read upper/);
  });

  it("forgets what nobody reads any more", () => {
    const graph = createGraph();
    const pointers = graph.source<string>("pointers");
    const targets = graph.source<string>("targets");
    const followed = graph.derive("followed", {
      keysOf: [pointers],
      compute: (key) => targets.get(pointers.get(key) ?? ""),
    });
    pointers.set("p", "one");
    graph.settle();
    pointers.set("p", "two");
    graph.settle();
    const before = graph.computations();
    targets.set("one", "ignored");
    graph.settle();
    assert.equal(graph.computations(), before);
    targets.set("two", "seen");
    graph.settle();
    assert.equal(followed.get("p"), "seen");
  });

  it("gives the event loop its turns", async () => {
    const graph = createGraph();
    const inputs = graph.source<number>("inputs");
    graph.derive("outputs", { keysOf: [inputs], compute: (key) => inputs.get(key) });
    for (let i = 0; i < 100; i++) inputs.set(String(i), i);
    let turns = 0;
    const count = () => {
      turns++;
      handle = setImmediate(count);
    };
    let handle = setImmediate(count);
    await graph.settleInSlices(0);
    clearImmediate(handle);
    assert.ok(turns > 10, `${turns} turns`);
  });

  // The property that everything rests on: after any edits, the result is that of a graph made anew from what stands.
  it("equals a graph made from scratch, whatever the edits were", () => {
    type Item = { readonly value: number; readonly groups: readonly string[]; readonly ref: string };
    const build = (graph: Graph) => {
      const items = graph.source<Item>("items");
      const scale = graph.source<number>("scale");
      const own = graph.derive("own", {
        keysOf: [items],
        compute: (key) => {
          const item = items.get(key);
          return item === undefined ? undefined : item.value * (scale.get(item.ref) ?? 1) + 0;
        },
      });
      const groups = graph.index("groups", items, (item) => item.groups);
      const sums = graph.derive("sums", {
        keysOf: [groups, scale],
        compute: (key) => {
          let sum = scale.get(key) ?? 0;
          for (const member of groups.get(key) ?? []) sum += own.get(member) ?? 0;
          return sum === 0 ? undefined : sum;
        },
      });
      const bySign = graph.index("bySign", sums, (sum) => [sum > 0 ? "+" : "-"]);
      const counts = graph.derive("counts", { keysOf: [bySign], compute: (key) => bySign.get(key)?.size });
      return { items, scale, outputs: [own, sums, counts] as Table<number>[] };
    };
    const name = fc.constantFrom("a", "b", "c", "d");
    const item = fc.record({ value: fc.integer({ min: -3, max: 3 }), groups: fc.uniqueArray(name), ref: name });
    const edit = fc.oneof(
      fc.record({ table: fc.constant("items" as const), key: name, value: fc.option(item, { nil: undefined }) }),
      fc.record({
        table: fc.constant("scale" as const),
        key: name,
        value: fc.option(fc.integer({ min: -2, max: 2 }), { nil: undefined }),
      }),
      fc.record({ table: fc.constant("settle" as const) }),
    );
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 40 }), (edits) => {
        const graph = createGraph();
        const incremental = build(graph);
        const state = { items: new Map<string, Item>(), scale: new Map<string, number>() };
        const put = <V>(source: Source<V>, standing: Map<string, V>, key: string, value: V | undefined) => {
          source.set(key, value);
          if (value === undefined) standing.delete(key);
          else standing.set(key, value);
        };
        for (const one of edits) {
          if (one.table === "settle") graph.settle();
          else if (one.table === "items") put(incremental.items, state.items, one.key, one.value);
          else put(incremental.scale, state.scale, one.key, one.value);
        }
        graph.settle();
        const fresh = createGraph();
        const scratch = build(fresh);
        for (const [key, value] of state.items) scratch.items.set(key, value);
        for (const [key, value] of state.scale) scratch.scale.set(key, value);
        fresh.settle();
        assert.deepEqual(incremental.outputs.map(entries), scratch.outputs.map(entries));
      }),
      { numRuns: 2000 },
    );
  });
});
