import { isIP } from "node:net";
import { CidrRangeSchema } from "@gatewright/crd-types/proto/envoy/config/core/v3/address_pb";
import {
  HeaderValueOptionSchema,
  KeyValueAppendSchema,
  KeyValueMutationSchema,
} from "@gatewright/crd-types/proto/envoy/config/core/v3/base_pb";
import { RegexMatcherSchema } from "@gatewright/crd-types/proto/envoy/type/matcher/v3/regex_pb";
import { StringMatcherSchema } from "@gatewright/crd-types/proto/envoy/type/matcher/v3/string_pb";
import { maxRegexProgramSize } from "../../ir/index.ts";
import { regexProblem } from "../../lib/index.ts";
import { formatProblem } from "./format.ts";
import { checkEach, type MessageCheck } from "./visit.ts";

/** What Envoy's code refuses, beyond the rules of its API, in messages that many filters share. Each was seen on Envoy 1.40. */
export const sharedChecks: readonly MessageCheck[] = [
  checkEach(RegexMatcherSchema, ({ regex, engineType }, report) => {
    const own = engineType.case === "googleRe2" ? engineType.value.maxProgramSize : undefined;
    const problem = regexProblem(regex, Math.min(own ?? maxRegexProgramSize, maxRegexProgramSize));
    if (problem !== undefined) report("regex", problem);
  }),
  checkEach(StringMatcherSchema, ({ matchPattern, ignoreCase }, report) => {
    if (matchPattern.case === "safeRegex" && ignoreCase)
      report("ignore_case", "has no effect on safe_regex; write (?i) into the expression");
  }),
  checkEach(CidrRangeSchema, ({ addressPrefix }, report) => {
    if (isIP(addressPrefix) === 0) report("address_prefix", "must be an IP address");
  }),
  checkEach(HeaderValueOptionSchema, ({ header, append, appendAction }, report) => {
    const key = header?.key ?? "";
    if (key.startsWith(":") || key.toLowerCase() === "host") report("header", `may not change ${key}`);
    const problem = formatProblem(header?.value ?? "");
    if (problem !== undefined) report("header", `value ${problem}`);
    if (append !== undefined && appendAction !== 0) report("append", "cannot be given together with append_action");
  }),
  checkEach(KeyValueMutationSchema, ({ append, remove }, report) => {
    if (append === undefined && remove === "") report(undefined, "needs one of: append, remove");
    if (append !== undefined && remove !== "") report("remove", "cannot be given together with append");
  }),
  checkEach(KeyValueAppendSchema, ({ record, entry }, report) => {
    if (entry !== undefined) report("entry", "is deprecated; use record");
    if (record === undefined) {
      report("record", "is missing");
      return;
    }
    const value = record.value?.kind;
    const problem = value?.case === "stringValue" ? formatProblem(value.value) : "must be a string";
    if (problem !== undefined) report("record", `value ${problem}`);
  }),
];
