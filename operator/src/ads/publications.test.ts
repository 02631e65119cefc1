import assert from "node:assert/strict";
import { Publications } from "./publications.ts";
import type { AppliedChange } from "./resource.ts";

const change = (name: string): AppliedChange => ({
  type: "cluster",
  name,
  before: undefined,
  good: undefined,
  after: undefined,
});

const names = (publications: readonly (readonly AppliedChange[])[]) =>
  publications.map((changes) => changes.map(({ name }) => name).join());

describe("publications", () => {
  it("are taken in once by each, in order, from when it came", () => {
    const publications = new Publications();
    publications.add([change("before")]);
    const early = publications.open();
    publications.add([change("a"), change("b")]);
    const late = publications.open();
    publications.add([change("c")]);
    assert.deepEqual(names(early.take()), ["a,b", "c"]);
    assert.deepEqual(early.take(), []);
    assert.deepEqual(names(late.take()), ["c"]);
  });

  it("are kept only as long as somebody has not taken them in", () => {
    const publications = new Publications();
    const [quick, slow] = [publications.open(), publications.open()];
    for (const name of ["a", "b", "c"]) {
      publications.add([change(name)]);
      quick.take();
    }
    assert.equal(publications.size, 3);
    slow.close();
    slow.close();
    assert.equal(publications.size, 0);
    assert.deepEqual(slow.take(), []);
    publications.add([change("d")]);
    assert.deepEqual(names(quick.take()), ["d"]);
    assert.equal(publications.size, 0);
    quick.close();
    publications.add([change("e")]);
    assert.equal(publications.size, 0);
  });
});
