import assert from "node:assert/strict";
import { formatProblem } from "./substitution.ts";

describe("formatProblem()", () => {
  it("takes what reaches beyond the request in logs only", () => {
    for (const text of [
      "%ENVIRONMENT(HOME):5%",
      "%METADATA(ROUTE:a.b:c)%",
      "%METADATA(LISTENER)%",
      "%FILTER_STATE(key:PLAIN)%",
      "%FILTER_STATE(key:FIELD:x):3%",
      "%UPSTREAM_FILTER_STATE(key)%",
    ]) {
      assert.equal(formatProblem(text, "log"), undefined, text);
      assert.equal(formatProblem(text)?.reason, "NotSupported", text);
    }
  });

  it("refuses in logs what Envoy does", () => {
    for (const text of [
      "%FOO%",
      "100%",
      "%REQ(x y)%",
      "%req(x)%",
      "%ENVIRONMENT%",
      "%METADATA(FOO:a)%",
      "%FILTER_STATE(k:X)%",
    ])
      assert.equal(formatProblem(text, "log")?.reason, "RefusedByEnvoy", text);
  });
});
