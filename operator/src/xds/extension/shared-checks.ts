import { isIP } from "node:net";
import { CidrRangeSchema } from "@gatewright/crd-types/proto/envoy/config/core/v3/address_pb";
import {
  HeaderValueOptionSchema,
  KeyValueAppendSchema,
  KeyValueMutationSchema,
} from "@gatewright/crd-types/proto/envoy/config/core/v3/base_pb";
import { HeaderMutationSchema } from "@gatewright/crd-types/proto/envoy/config/common/mutation_rules/v3/mutation_rules_pb";
import { StringMatcherSchema } from "@gatewright/crd-types/proto/envoy/type/matcher/v3/string_pb";
import { formatProblem, isFraming, isHeaderValue, isToken } from "../../lib/index.ts";
import { checkEach, type MessageCheck, type Report } from "./visit.ts";

/** What Envoy's code refuses, beyond the rules of its API, in messages that many filters share. Each was seen on Envoy 1.40. */
export const sharedChecks: readonly MessageCheck[] = [
  checkEach(StringMatcherSchema, ({ matchPattern, ignoreCase }, report) => {
    if (matchPattern.case === "safeRegex" && ignoreCase)
      report(["ignore_case"], "has no effect on safeRegex; write (?i) into the expression");
  }),
  checkEach(CidrRangeSchema, ({ addressPrefix }, report) => {
    if (isIP(addressPrefix) === 0) report(["address_prefix"], "must be an IP address");
  }),
  checkEach(HeaderValueOptionSchema, ({ header, append, appendAction }, report) => {
    // Envoy's rules ask for a key.
    if (header !== undefined && header.key !== "") checkChangeable(header.key, ["header", "key"], report);
    if (!isHeaderValue(Buffer.from(header?.rawValue ?? []).toString("latin1")))
      report(["header", "raw_value"], "has control characters or is too long", "InvalidValue");
    const problem = formatProblem(header?.value ?? "");
    if (problem !== undefined) report(["header", "value"], problem.message, problem.reason);
    if (append !== undefined && appendAction !== 0) report(["append"], "cannot be given together with appendAction");
  }),
  checkEach(HeaderMutationSchema, ({ action }, report) => {
    if (action.case === "remove") checkChangeable(action.value, ["remove"], report);
    const pattern = action.case === "removeOnMatch" ? action.value.keyMatcher?.matchPattern : undefined;
    const at = ["remove_on_match", "key_matcher"];
    if (pattern?.case === "exact") checkChangeable(pattern.value, [...at, "exact"], report);
    if (pattern?.case === "prefix" && pattern.value.startsWith(":"))
      report([...at, "prefix"], `may not be ${pattern.value}`);
  }),
  checkEach(KeyValueMutationSchema, ({ append, remove }, report) => {
    if (append === undefined && remove === "") report([], "needs one of: append, remove");
    if (append !== undefined && remove !== "") report(["remove"], "cannot be given together with append");
  }),
  checkEach(KeyValueAppendSchema, ({ record, entry }, report) => {
    if (entry !== undefined) report(["entry"], "is deprecated; use record");
    if (record === undefined) {
      report(["record"], "is missing");
      return;
    }
    const value = record.value?.kind;
    if (value?.case !== "stringValue") {
      report(["record", "value"], "must be a string");
      return;
    }
    const problem = formatProblem(value.value);
    if (problem !== undefined) report(["record", "value"], problem.message, problem.reason);
  }),
];

/** A header that a filter may not set or remove. What Envoy lets pass of these breaks requests, and not only those of the rule. */
export function checkChangeable(name: string, fields: readonly string[], report: Report): void {
  if (name.startsWith(":") || name.toLowerCase() === "host") report(fields, `may not be ${name}`);
  else if (isFraming(name)) report(fields, `may not be ${name}, which belongs to the connection`, "NotSupported");
  else if (!isToken(name)) report(fields, `${JSON.stringify(name)} is not the name of a header`, "InvalidValue");
}
