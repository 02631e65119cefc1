import assert from "node:assert/strict";
import { apiFailure, isSuccess } from "./api-failure.ts";

describe("apiFailure()", () => {
  it("says what a Status says", () => {
    const body = { kind: "Status", status: "Failure", reason: "AlreadyExists", message: 'pods "a" already exists' };
    assert.equal(apiFailure({ status: 409, body }), '409 AlreadyExists: pods "a" already exists');
  });

  it("names the status where nobody else does", () => {
    assert.equal(apiFailure({ status: 404, body: undefined }), "404 Not Found");
    assert.equal(apiFailure({ status: 404, body: { reason: "", message: "" } }), "404 Not Found");
    assert.equal(apiFailure({ status: 499, body: null }), "499");
  });

  it("quotes whoever answers in another way, in one line", () => {
    assert.equal(
      apiFailure({ status: 502, body: "<h1>no\n  upstream</h1>\n" }),
      "502 Bad Gateway: <h1>no upstream</h1>",
    );
  });

  it("ends somewhere", () => {
    assert.ok(apiFailure({ status: 422, body: { reason: "Invalid", message: "x".repeat(100_000) } }).length < 2_100);
  });
});

describe("isSuccess()", () => {
  it("is so for all of 2xx", () => {
    assert.deepEqual(
      [199, 200, 201, 299, 300, 409].map((status) => isSuccess({ status, body: undefined })),
      [false, true, true, true, false, false],
    );
  });
});
