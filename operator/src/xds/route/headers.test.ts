import assert from "node:assert/strict";
import type { HeaderChange } from "../../ir/index.ts";
import { composeChanges, headerEdit, splitHost, untouchableHeader } from "./headers.ts";

const change = (more: Partial<HeaderChange>): HeaderChange => ({ set: [], add: [], remove: [], ...more });
const header = (name: string, value = "v") => ({ name, value });
const names = (edit: ReturnType<typeof headerEdit>) => edit.add.map(({ header: added }) => added?.key);

describe("headerEdit()", () => {
  it("keeps values from being read as format strings", () => {
    const [added] = headerEdit(change({ set: [header("x", "100% %REQ(y)%")] })).add;
    assert.equal(added?.header?.value, "100%% %%REQ(y)%%");
  });
});

describe("composeChanges()", () => {
  it("lets the backend's changes come after the rule's", () => {
    const rule = change({ set: [header("a"), header("b")], add: [header("c"), header("d")], remove: ["e", "f"] });
    const backend = change({ set: [header("a", "w")], add: [header("b"), header("e")], remove: ["c", "f"] });
    const composed = composeChanges(rule, backend);
    // `a` is set again, `b` is set and added to, `c` is gone, `e` is removed and added.
    assert.deepEqual(names(composed), ["b", "d", "a", "b", "e"]);
    assert.deepEqual(composed.remove, ["e", "f", "c"]);
  });
});

describe("splitHost()", () => {
  it("takes the host out of what is set", () => {
    const { host, rest } = splitHost(change({ set: [header("Host", "h"), header("x")] }));
    assert.deepEqual([host, rest?.set], ["h", [header("x")]]);
  });

  it("leaves other changes alone", () => {
    const given = change({ add: [header("host")] });
    assert.deepEqual(splitHost(given), { host: undefined, rest: given });
  });
});

describe("untouchableHeader()", () => {
  it("finds pseudo headers and the host in each list", () => {
    assert.equal(untouchableHeader(change({ set: [header("x"), header(":path")] })), ":path");
    assert.equal(untouchableHeader(change({ add: [header("Host")] })), "Host");
    assert.equal(untouchableHeader(change({ remove: ["host"] })), "host");
    assert.equal(untouchableHeader(change({ set: [header("x-host")] })), undefined);
  });
});
