// The suite's report, as far as a summary needs it: https://pkg.go.dev/sigs.k8s.io/gateway-api/conformance/apis/v1#ConformanceReport
import { readFile } from "node:fs/promises";
import { parse } from "yaml";

export type Statistics = { readonly Passed: number; readonly Failed: number; readonly Skipped: number };
type Status = { readonly result: string; readonly statistics: Statistics };

export type Report = {
  readonly gatewayAPIVersion: string;
  readonly gatewayAPIChannel: string;
  readonly profiles: readonly {
    readonly name: string;
    readonly core: Status;
    readonly extended?: Status & {
      readonly supportedFeatures?: readonly string[];
      readonly unsupportedFeatures?: readonly string[];
    };
  }[];
  readonly succeededProvisionalTests?: readonly string[];
};

export const readReport = async (file: string): Promise<Report> => parse(await readFile(file, "utf8")) as Report;

/** A line for each profile, as a table. */
export function formatProfiles({ profiles }: Report): readonly string[] {
  const count = ({ Passed, Failed, Skipped }: Statistics) =>
    `${Passed} passed${Failed > 0 ? `, ${Failed} FAILED` : ""}${Skipped > 0 ? `, ${Skipped} skipped` : ""}`;
  return profiles.map(({ name, core, extended }) => {
    const features = extended?.supportedFeatures?.length ?? 0;
    const missing = extended?.unsupportedFeatures ?? [];
    const more =
      extended === undefined
        ? ""
        : `; extended ${extended.result} (${count(extended.statistics)}; ${features} features${missing.length > 0 ? `, not ${missing.join(", ")}` : ""})`;
    return `${name.padEnd(13)} core ${core.result} (${count(core.statistics)})${more}`;
  });
}
