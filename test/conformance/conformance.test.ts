// A part of the conformance suite against Gatewright in a lab, as `npm run conformance` runs all of it. It needs root, and programs whose
// first build takes a quarter of an hour: so it runs where GATEWRIGHT_LAB says so: 1 where it must run, auto where all is there.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { canRun } from "../lab/index.ts";
import { parseArguments } from "./arguments.ts";
import { run } from "./run.ts";
import { suiteProgram } from "./suite-program.ts";

/** One of each profile, one whose objects are wrong, and one that changes while traffic flows. */
const upstreamTests = [
  "HTTPRouteSimpleSameNamespace",
  "HTTPRouteHTTPSListener",
  "GRPCExactMethodMatching",
  "TLSRouteSimpleSameNamespace",
  "TCPRouteReferenceGrant",
  "UDPRoute",
  "GatewayInvalidTLSConfiguration",
  "GatewayModifyListeners",
];

const variants = (name: string, ...of: readonly string[]) => of.map((variant) => `${name}${variant}`);

/** Of features for which the suite has none. The row of clusters without ClusterTrustBundles is skipped in others. */
const ownTests = [
  ...variants("BackendTLSPolicyClusterTrustBundle", "", "Nonexistent", "Malformed", "Update", "Delete"),
  "GatewayFrontendClusterTrustBundle",
  ...variants("GatewayListenerFilters", "", "Invalid", "Protocol", "HTTPFilter"),
  ...variants("GatewayAddressRoutability", "Validation", "Features", "Sentinel", "Unsupported", "Default"),
  ...variants("GatewayAddressRoutabilityCluster", "", "AndDefault", "Static", "StaticOutside"),
];

const wish = process.env["GATEWRIGHT_LAB"];
const demanded = wish === "1";

async function whyNot(): Promise<string | undefined> {
  if (demanded) return undefined;
  return wish === "auto"
    ? await canRun([suiteProgram])
    : "GATEWRIGHT_LAB=auto runs it where npm run conformance -- --prepare has";
}

describe("the conformance suite", function () {
  this.timeout(demanded ? 60 * 60_000 : 10 * 60_000);

  it("passes for a test of each kind, in a lab that is gone afterwards", async function () {
    const reason = await whyNot();
    if (reason !== undefined) {
      console.error(`      not run: ${reason}`);
      this.skip();
    }
    const output = await mkdtemp(path.join(tmpdir(), "conformance-"));
    const lines: string[] = [];
    try {
      const tests = [...upstreamTests, ...ownTests];
      const argv = [
        "--lab=test-suite",
        "--own-tests",
        `--output=${output}`,
        ...tests.map((name) => `--run-test=${name}`),
      ];
      const parsed = parseArguments(argv, {});
      assert.ok(parsed.kind === "run");
      const code = await run(parsed.options, {
        print: (line) => lines.push(line),
        signal: new AbortController().signal,
        version: "v0.0.0",
      });
      assert.equal(code, 0, lines.join("\n"));
      assert.equal(lines.filter((line) => line.includes(" ok ")).length, tests.length, lines.join("\n"));
      assert.ok(lines.includes(`${tests.length} passed, 0 failed, 0 skipped`), lines.join("\n"));
    } finally {
      await rm(output, { recursive: true, force: true });
    }
  });
});
