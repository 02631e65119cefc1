import assert from "node:assert/strict";
import { type Options, parseArguments } from "./arguments.ts";

const options = (...argv: readonly string[]): Options => {
  const parsed = parseArguments(argv, {});
  assert.equal(parsed.kind, "run", JSON.stringify(parsed));
  return parsed.kind === "run" ? parsed.options : assert.fail();
};
const refusal = (...argv: readonly string[]): string => {
  const parsed = parseArguments(argv, {});
  return parsed.kind === "wrong" ? parsed.message : `it is ${parsed.kind}`;
};

describe("the arguments of a conformance run", () => {
  it("left out, mean all of it in a lab of its own", () => {
    const { lab, profiles, runTests, features, parallel, keep } = options();
    assert.deepEqual(
      [lab, profiles.length, runTests, features, parallel, keep],
      ["conformance", 5, [], undefined, 16, false],
    );
  });

  it("may name things more than once, or with commas", () => {
    assert.deepEqual(options("--profile", "gateway-http", "--profile=GATEWAY-TCP,GATEWAY-UDP").profiles, [
      "GATEWAY-HTTP",
      "GATEWAY-TCP",
      "GATEWAY-UDP",
    ]);
    assert.deepEqual(options("--run-test", "A,B", "--run-test=C").runTests, ["A", "B", "C"]);
  });

  it("take the lab that the environment names", () => {
    const parsed = parseArguments([], { GATEWRIGHT_LAB_NAME: "mine" });
    assert.equal(parsed.kind === "run" && parsed.options.lab, "mine");
  });

  it("are refused where they make no sense", () => {
    assert.match(refusal("--profile", "HTTP"), /no profile HTTP: GATEWAY-HTTP, /);
    assert.match(refusal("--parallel", "0"), /--parallel/);
    // It becomes part of a regular expression.
    assert.match(refusal("--run-test", "A|B"), /"A\|B" is no name of a test/);
    assert.match(refusal("--run-test", "A", "--report", "x"), /a report is about all tests/);
    assert.match(refusal("--own-tests", "--report", "x"), /a report is about all tests/);
    assert.match(refusal("--what"), /--what/);
  });
});
