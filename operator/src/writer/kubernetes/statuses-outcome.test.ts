import assert from "node:assert/strict";
import { type ApiResponse, ApiUnreachableError } from "../../kubernetes/index.ts";
import { failure, failureOfEndingNamespace } from "../../kubernetes/testing/index.ts";
import { isFailedTest, outcomeOf } from "./statuses-outcome.ts";

describe("what came of a request", () => {
  it("is told by the server's answer", async () => {
    const kinds: Record<number, string> = {
      400: "refused",
      401: "unavailable",
      403: "forbidden",
      404: "gone",
      409: "conflict",
      410: "gone",
      413: "refused",
      422: "refused",
      429: "unavailable",
      500: "failed",
      503: "unavailable",
      504: "unavailable",
    };
    for (const [status, kind] of Object.entries(kinds)) {
      const outcome = await outcomeOf(Promise.resolve(failure(Number(status), "Reason", "words")));
      assert.equal(outcome.kind, kind, status);
      if ("message" in outcome) assert.equal(outcome.message, `${status} Reason: words`);
    }
    assert.deepEqual(await outcomeOf(Promise.resolve({ status: 200, body: { a: 1 } })), {
      kind: "done",
      object: { a: 1 },
    });
    assert.deepEqual(
      await outcomeOf(Promise.resolve({ ...failure(429, "TooManyRequests", "slow"), retryAfterMs: 5 })),
      {
        kind: "unavailable",
        message: "429 TooManyRequests: slow",
        retryAfterMs: 5,
      },
    );
  });

  it("tells rights that we lack from a namespace that ends, where nobody has them", async () => {
    const of = async (response: ApiResponse) => {
      const outcome = await outcomeOf(Promise.resolve(response));
      return outcome.kind === "forbidden" && outcome.ofEndingNamespace;
    };
    assert.equal(await of(failureOfEndingNamespace("shop")), true);
    assert.equal(await of(failure(403, "Forbidden", "exceeded quota")), false);
    for (const body of [undefined, null, "no", { details: null }, { details: { causes: [{}] } }])
      assert.equal(await of({ status: 403, body }), false);
  });

  it("tells a test of a patch that failed from a status that the server refuses", async () => {
    const of = (message: string) => outcomeOf(Promise.resolve(failure(422, "Invalid", message)));
    assert.ok(isFailedTest(await of("the server rejected our request due to an error in our request")));
    assert.ok(!isFailedTest(await of('HTTPRoute "r" is invalid: status.parents: Too many: 33')));
  });

  it("is no answer where there is none; a bug stays a bug", async () => {
    const outcome = await outcomeOf(Promise.reject(new ApiUnreachableError("down")));
    assert.deepEqual(outcome, { kind: "unavailable", message: "down" });
    await assert.rejects(outcomeOf(Promise.reject(new TypeError("bug"))), TypeError);
  });
});
