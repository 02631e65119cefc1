import assert from "node:assert/strict";
import { type Access, createCredentials } from "./credentials.ts";

describe("createCredentials()", () => {
  function counting(load: (count: number) => Access | Error = (count) => accessOf(`t${count}`)) {
    const renewals: boolean[] = [];
    const credentials = createCredentials(async (renew) => {
      renewals.push(renew);
      const outcome = load(renewals.length);
      if (outcome instanceof Error) throw outcome;
      return await Promise.resolve(outcome);
    });
    return { credentials, renewals };
  }
  const accessOf = (token: string): Access => ({ headers: { authorization: token }, tls: {} });

  it("looks once for many requests", async () => {
    const { credentials, renewals } = counting();
    const all = await Promise.all([credentials.current(), credentials.current(), credentials.current()]);
    assert.equal(await credentials.current(), all[0]);
    assert.deepEqual(renewals, [false]);
  });

  it("renews once for many refusals, and not again at once", async () => {
    const { credentials, renewals } = counting();
    const first = await credentials.current();
    const renewed = await Promise.all([credentials.current(first), credentials.current(first)]);
    assert.deepEqual(
      renewed.map(({ headers }) => headers["authorization"]),
      ["t2", "t2"],
    );
    // Whoever is refused late, with what is no longer used, gets what is.
    assert.equal(await credentials.current(first), renewed[0]);
    assert.equal(await credentials.current(renewed[0]), renewed[0]);
    assert.deepEqual(renewals, [false, true]);
  });

  it("keeps what it has where nothing newer can be had", async () => {
    const { credentials } = counting((count) => (count === 1 ? accessOf("t") : new Error("no such file")));
    const first = await credentials.current();
    assert.equal(await credentials.current(first), first);
  });

  it("says why there are none, and looks again", async () => {
    const { credentials } = counting((count) => (count === 1 ? new Error("no such file") : accessOf("t")));
    await assert.rejects(
      credentials.current(),
      /^ApiUnreachableError: no credentials for the API server: no such file/,
    );
    assert.deepEqual(await credentials.current(), accessOf("t"));
  });
});
