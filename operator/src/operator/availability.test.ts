import assert from "node:assert/strict";
import type { Unavailability } from "../gatewayapi/index.ts";
import type { Trouble } from "../kubernetes/index.ts";
import { createManualTime } from "../kubernetes/testing/index.ts";
import type { KindState } from "../source/index.ts";
import { createAvailability } from "./availability.ts";

const kind = "ClusterTrustBundle";
const served = { group: "certificates.k8s.io", version: "v1", plural: "clustertrustbundles" };
const unread: KindState = { isListed: false, objects: 0, lists: 1, watches: 0, skipped: 0, version: "v1" };
const read: KindState = { ...unread, isListed: true };
const trouble = (what: Trouble["kind"], since = 0): Trouble => ({ kind: what, message: `it is ${what}`, since });

function fixture() {
  const time = createManualTime();
  const told: (Unavailability["kind"] | "available")[] = [];
  let state: KindState | undefined;
  const availability = createAvailability({
    kinds: [kind],
    served: () => new Map(state === undefined ? [] : [[kind, served]]),
    absentFields: () => new Set(),
    states: () => new Map(state === undefined ? [] : [[kind, state]]),
    onChange: (unavailable) => told.push(unavailable.get(kind)?.kind ?? "available"),
    clock: time,
    now: time.now,
  });
  return {
    time,
    told,
    availability,
    become: (next: KindState | undefined) => {
      state = next;
      availability.update();
    },
  };
}

describe("createAvailability()", () => {
  it("tells of a kind that is absent, and that it is there once it has been read", () => {
    const { told, become } = fixture();
    become(undefined);
    become(unread);
    become({ ...unread, trouble: trouble("unreachable") });
    assert.deepEqual(told, ["absent"]);
    become(read);
    become(read);
    become(undefined);
    assert.deepEqual(told, ["absent", "available", "absent"]);
  });

  it("tells at once of a kind that may not be read and never was", () => {
    const { told, become } = fixture();
    become({ ...unread, trouble: trouble("forbidden") });
    become(read);
    assert.deepEqual(told, ["unreadable", "available"]);
  });

  it("uses what was read while a server that is starting forbids it, and not for long", async () => {
    const { told, become, time } = fixture();
    become(read);
    become({ ...read, trouble: trouble("forbidden", time.now()) });
    await time.advance(9_000);
    become(read);
    await time.advance(60_000);
    assert.deepEqual(told, ["available"]);
    become({ ...read, trouble: trouble("forbidden", time.now()) });
    await time.advance(9_999);
    assert.deepEqual(told, ["available"]);
    await time.advance(1);
    assert.deepEqual(told, ["available", "unreadable"]);
    become(read);
    assert.deepEqual(told, ["available", "unreadable", "available"]);
  });

  it("keeps what was read while the server is away", () => {
    const { told, become } = fixture();
    become(read);
    for (const what of ["unreachable", "refused", "missing", "failed"] as const)
      become({ ...read, trouble: trouble(what) });
    assert.deepEqual(told, ["available"]);
  });

  it("is silent once closed", async () => {
    const { told, become, availability, time } = fixture();
    become(read);
    become({ ...read, trouble: trouble("forbidden", time.now()) });
    availability.close();
    await time.advance(20_000);
    become(undefined);
    assert.deepEqual(told, ["available"]);
  });
});
