import { isIP } from "node:net";
import { CidrRangeSchema } from "@gatewright/crd-types/proto/envoy/config/core/v3/address_pb";
import {
  HeaderValueOptionSchema,
  KeyValueAppendSchema,
  KeyValueMutationSchema,
} from "@gatewright/crd-types/proto/envoy/config/core/v3/base_pb";
import { StringMatcherSchema } from "@gatewright/crd-types/proto/envoy/type/matcher/v3/string_pb";
import { formatProblem } from "../../lib/index.ts";
import { checkEach, type MessageCheck } from "./visit.ts";

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
    const key = header?.key ?? "";
    if (key.startsWith(":") || key.toLowerCase() === "host") report(["header", "key"], `may not be ${key}`);
    const problem = formatProblem(header?.value ?? "");
    if (problem !== undefined) report(["header", "value"], problem.message, problem.reason);
    if (append !== undefined && appendAction !== 0) report(["append"], "cannot be given together with appendAction");
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
