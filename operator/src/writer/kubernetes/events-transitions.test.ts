import assert from "node:assert/strict";
import { happeningsIn } from "./events-transitions.ts";

const ours = "gatewright.dev/gateway-controller";
const condition = (type: string, status: string, reason: string, message = "") => ({ type, status, reason, message });
const of = (...conditions: object[]) => ({ conditions });
const route = (controllerName: string, name: string, ...conditions: object[]) => ({
  parents: [{ parentRef: { name, sectionName: "web" }, controllerName, conditions }],
});
const told = (before: object | undefined, after: object) =>
  happeningsIn(before as never, after as never, ours).map(({ type, action, reason, note }) => [
    type,
    action,
    reason,
    note,
  ]);

describe("what people are told of a status", () => {
  it("is a condition that turned False, or is False from the start, and that it is so no more", () => {
    const good = of(condition("Programmed", "True", "Programmed"));
    const bad = of(condition("Programmed", "False", "Invalid", "port 80: in use"));
    const warning = ["Warning", "Program", "Invalid", "Programmed is False: port 80: in use"];
    assert.deepEqual(told(good, bad), [warning]);
    assert.deepEqual(told(undefined, bad), [warning]);
    assert.deepEqual(told(bad, bad), []);
    assert.deepEqual(told(bad, good), [["Normal", "Program", "Programmed", "Programmed is no longer False"]]);
    assert.deepEqual(told(undefined, good), []);
  });

  it("is another reason, and not another message", () => {
    const bad = (reason: string, message: string) => of(condition("ResolvedRefs", "False", reason, message));
    assert.deepEqual(told(bad("BackendNotFound", "a"), bad("BackendNotFound", "b")), []);
    assert.deepEqual(told(bad("BackendNotFound", "a"), bad("RefNotPermitted", "b")), [
      ["Warning", "ResolveReferences", "RefNotPermitted", "ResolvedRefs is False: b"],
    ]);
  });

  it("is nothing that only takes time", () => {
    const pending = of(condition("Programmed", "False", "Pending", "waiting for Envoy"));
    const good = of(condition("Programmed", "True", "Programmed"));
    assert.deepEqual(told(of(condition("Programmed", "Unknown", "Pending")), pending), []);
    assert.deepEqual(told(pending, good), []);
    assert.equal(told(pending, of(condition("Programmed", "False", "Invalid"))).length, 1);
  });

  it("knows the conditions that are bad when True", () => {
    const listener = (...conditions: object[]) => ({ listeners: [{ name: "web", conditions }] });
    const accepted = condition("Accepted", "True", "Accepted");
    const conflicted = listener(accepted, condition("Conflicted", "True", "HostnameConflict", "with api"));
    assert.deepEqual(told(listener(accepted), conflicted), [
      ["Warning", "Translate", "HostnameConflict", "listener web: Conflicted is True: with api"],
    ]);
    const ended = [["Normal", "Translate", "HostnameConflict", "listener web: Conflicted is True no more"]];
    assert.deepEqual(told(conflicted, listener(accepted)), ended);
    const free = listener(accepted, condition("Conflicted", "False", "NoConflicts"));
    assert.deepEqual(told(conflicted, free)[0]?.[0], "Normal");
    assert.deepEqual(told(conflicted, { listeners: [] }), []);
  });

  it("is about our own entries and conditions only", () => {
    const bad = condition("Accepted", "False", "NoMatchingParent", "no");
    assert.deepEqual(told(undefined, route("example.com/other", "gw", bad)), []);
    assert.deepEqual(told(undefined, of(condition("example.com/Checked", "False", "No"))), []);
    assert.deepEqual(told(undefined, route(ours, "gw", bad)), [
      ["Warning", "Accept", "NoMatchingParent", "gw/web: Accepted is False: no"],
    ]);
  });

  it("is said once for many of a kind, and no longer than the API takes", () => {
    const bad = condition("Accepted", "False", "NoMatchingParent", "é".repeat(2_000));
    const parents = [
      ...route(ours, "a", bad).parents,
      ...route(ours, "b", bad).parents,
      ...route(ours, "c", bad).parents,
    ];
    const [first, ...others] = happeningsIn(undefined, { parents }, ours);
    assert.deepEqual(others, []);
    assert.match(first?.note ?? "", /^a\/web: Accepted is False: é+… \(and 2 more alike\)$/);
    assert.ok(Buffer.byteLength(first?.note ?? "") <= 1_024);
  });
});
