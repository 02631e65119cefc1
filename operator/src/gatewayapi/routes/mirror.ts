import type { HTTPRequestMirrorFilter } from "@gatewright/crd-types/gateway/v1";
import type { Mirror } from "../../ir/index.ts";
import type { References } from "./references.ts";
import type { RuleReport } from "./report.ts";

/** Undefined: nothing is mirrored, since the share is zero or the reference leads nowhere; the rule serves all the same. */
export function translateMirror(
  { backendRef, percent, fraction }: HTTPRequestMirrorFilter,
  field: string,
  references: References,
  report: RuleReport,
): Mirror | undefined {
  const { numerator, denominator = 100 } = fraction ?? { numerator: percent ?? 100 };
  if (percent !== undefined && fraction !== undefined) report.refuse(field, "takes one of percent and fraction");
  const isShare =
    Number.isInteger(numerator) && Number.isInteger(denominator) && 0 <= numerator && numerator <= denominator;
  if (!isShare || denominator < 1) report.refuse(field, `${numerator} of ${denominator} requests is not a share`);
  const target = references.backend(backendRef);
  if (target.kind === "unresolved") {
    report.unresolve(`${field}.backendRef`, target);
    return undefined;
  }
  return numerator === 0 ? undefined : { cluster: target.cluster.name, fraction: { numerator, denominator } };
}
