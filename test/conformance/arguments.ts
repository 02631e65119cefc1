import path from "node:path";
import { parseArgs } from "node:util";
import { messageOf } from "../lab/index.ts";
import { profiles } from "./implementation.ts";

export const usage = `Usage: npm run conformance -- [options]

Runs the conformance suite of the Gateway API in a lab (npm run lab) against Gatewright built from these sources, and writes its report.
The features are those that the GatewayClass names in its status. See docs/conformance/README.md.

  --profile NAME        one of ${profiles.join(", ")}; may be given more than once (default: all).
                        Only tests that count for one of them are run
  --run-test NAME       only this test; may be given more than once. No report is written
  --own-tests           also ours, of features for which the suite has none: ClusterTrustBundle, GatewayListenerFilters,
                        GatewayAddressRoutability. No report is written
  --features LIST|all   test these features, whatever the GatewayClass says
  --parallel N          how many tests that allow it run at once (default 16)
  --report FILE         where the report is written (default: in the folder of the run)
  --keep                leave the lab and all objects as they are at the end
  --debug               the suite says more: requests, answers, and what it waits for
  --gateway-class NAME  install nothing: test what this class of a lab that is up belongs to
  --replicas N          of the operator (default 2)
  --version TEXT        the version that the report names (default: that of this package)
  --lab NAME            in this lab (default conformance, or $GATEWRIGHT_LAB_NAME). One that is up is used and left up
  --output DIR          the folder of the run: logs, and what failed tests left (default .cache/conformance)
  --prepare             only build what a run needs, and see whether a lab can be had on this machine
  --help                this text

Ends with 0 if all tests passed, 1 if some failed, 2 if the suite could not be run.
`;

export type Options = {
  readonly lab: string;
  readonly profiles: readonly string[];
  readonly runTests: readonly string[];
  readonly ownTests: boolean;
  readonly features: string | undefined;
  readonly parallel: number;
  readonly report: string | undefined;
  readonly keep: boolean;
  readonly debug: boolean;
  /** Set if nothing is to be installed. */
  readonly gatewayClass: string | undefined;
  readonly replicas: number;
  readonly version: string | undefined;
  readonly output: string;
};

export type ParsedArguments =
  | { readonly kind: "run"; readonly options: Options }
  | { readonly kind: "prepare"; readonly options: Options }
  | { readonly kind: "help" }
  | { readonly kind: "wrong"; readonly message: string };

const wrong = (message: string): ParsedArguments => ({ kind: "wrong", message });

export function parseArguments(argv: readonly string[], env: NodeJS.ProcessEnv): ParsedArguments {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        profile: { type: "string", multiple: true },
        "run-test": { type: "string", multiple: true, default: [] },
        "own-tests": { type: "boolean", default: false },
        features: { type: "string" },
        parallel: { type: "string", default: "16" },
        report: { type: "string" },
        keep: { type: "boolean", default: false },
        debug: { type: "boolean", default: false },
        "gateway-class": { type: "string" },
        replicas: { type: "string", default: "2" },
        version: { type: "string" },
        lab: { type: "string", default: env["GATEWRIGHT_LAB_NAME"] ?? "conformance" },
        output: { type: "string", default: path.resolve(import.meta.dirname, "../../.cache/conformance") },
        prepare: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    if (values.help) return { kind: "help" };
    const named = values.profile?.flatMap((text) => text.split(",")).map((name) => name.toUpperCase()) ?? profiles;
    const unknown = named.find((name) => !profiles.some((profile) => profile === name));
    if (unknown !== undefined) return wrong(`there is no profile ${unknown}: ${profiles.join(", ")}`);
    for (const name of ["parallel", "replicas"] as const)
      if (!/^[1-9]\d*$/.test(values[name])) return wrong(`--${name} needs a number from 1 on`);
    const runTests = values["run-test"].flatMap((text) => text.split(","));
    const notName = runTests.find((name) => !/^\w+$/.test(name));
    if (notName !== undefined) return wrong(`"${notName}" is no name of a test`);
    if (values.report !== undefined && (runTests.length > 0 || values["own-tests"]))
      return wrong("--report: a report is about all tests of the suite, and no others");
    return {
      kind: values.prepare ? "prepare" : "run",
      options: {
        lab: values.lab,
        profiles: named,
        runTests,
        ownTests: values["own-tests"],
        features: values.features,
        parallel: Number(values.parallel),
        report: values.report === undefined ? undefined : path.resolve(values.report),
        keep: values.keep,
        debug: values.debug,
        gatewayClass: values["gateway-class"],
        replicas: Number(values.replicas),
        version: values.version,
        output: path.resolve(values.output),
      },
    };
  } catch (error) {
    // What parseArgs says of an unknown option.
    return wrong(messageOf(error));
  }
}
