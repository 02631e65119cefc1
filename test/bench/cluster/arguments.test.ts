import assert from "node:assert/strict";
import { parseArguments } from "./arguments.ts";

const runOf = (...args: string[]) => {
  const parsed = parseArguments(args);
  assert.ok(parsed.kind === "run", JSON.stringify(parsed));
  return parsed.run;
};

describe("the options of the cluster benchmark", () => {
  it("are those of the report unless given", () => {
    const { sides, counts, rounds, workloads, ofSources } = runOf();
    assert.deepEqual(
      { sides, counts, rounds, workloads, ofSources },
      {
        sides: ["ours", "envoy-gateway", "envoy-gateway-qps-500", "null"],
        counts: [1, 100, 1_000, 5_000, 10_000],
        rounds: 3,
        workloads: undefined,
        ofSources: false,
      },
    );
  });

  it("have a short form, of which each can be set", () => {
    const { sides, counts, workloads } = runOf("--smoke", "--n", "10");
    assert.deepEqual({ sides, counts }, { sides: ["ours"], counts: [10] });
    assert.ok(workloads?.includes("W12"));
  });

  for (const [args, problem] of [
    [["--impl", "ours,theirs"], "there is no implementation theirs"],
    [["--workloads", "W2,W99"], "there is no workload W99"],
    [["--n", "10,many"], "many is no whole number"],
    [["--n", "0"], "routes, rounds, probes and minutes are at least 1"],
    [["--n", ""], "nothing to measure"],
    [["more"], "more is no option"],
  ] as const)
    it(`are refused: ${args.join(" ")}`, () => {
      assert.deepEqual(parseArguments(args), { kind: "wrong", problem });
    });

  it("name folders of results", () => {
    assert.deepEqual(parseArguments(["--report", "a", "b", "--to", "c"]), {
      kind: "report",
      folders: ["a", "b"],
      to: "c",
    });
  });
});
