import {
  type Config_KeyValuePair,
  type Config_Rule,
  Config_RuleSchema,
  ConfigSchema,
} from "@gatewright/crd-types/proto/envoy/extensions/filters/http/header_to_metadata/v3/header_to_metadata_pb";
import { checkChangeable } from "./shared-checks.ts";
import { checkEach, type MessageCheck, type Report } from "./visit.ts";

/** https://www.envoyproxy.io/docs/envoy/v1.40.0/configuration/http/http_filters/header_to_metadata_filter */
export const headerToMetadataChecks: readonly MessageCheck[] = [
  checkEach(ConfigSchema, ({ requestRules, responseRules }, report) => {
    if (requestRules.length + responseRules.length === 0) report([], "needs requestRules or responseRules");
  }),
  checkEach(Config_RuleSchema, checkRule),
];

function checkRule({ header, cookie, onHeaderPresent, onHeaderMissing, remove }: Config_Rule, report: Report) {
  if (header === "" && cookie === "") report([], "needs one of: header, cookie");
  if (header !== "" && cookie !== "") report(["cookie"], "cannot be given together with header");
  if (header !== "" && remove) checkChangeable(header, ["header"], report);
  if (cookie !== "" && remove) report(["remove"], "does not work for a cookie");
  if (onHeaderPresent === undefined && onHeaderMissing === undefined) {
    report([], "needs onHeaderPresent or onHeaderMissing");
  }
  if (onHeaderMissing !== undefined && onHeaderMissing.value === "") report(["on_header_missing"], "needs a value");
  if (hasTwoValues(onHeaderPresent)) report(["on_header_present"], "cannot have both value and regexValueRewrite");
}

const hasTwoValues = (pair: Config_KeyValuePair | undefined) =>
  pair !== undefined && pair.value !== "" && pair.regexValueRewrite !== undefined;
