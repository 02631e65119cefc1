import type { HTTPCORSFilter } from "@gatewright/crd-types/gateway/v1";
import type { CorsPolicy } from "../../ir/index.ts";
import { isToken } from "../../lib/index.ts";
import type { RuleReport } from "./report.ts";

const defaultMaxAgeSeconds = 5;

const originPattern = /^\*$|^https?:\/\/(((\*\.)?([a-zA-Z0-9-]+\.)*[a-zA-Z0-9-]+|\*)(:[0-9]{1,5})?)$/;
const methodPattern = /^(GET|HEAD|POST|PUT|DELETE|CONNECT|OPTIONS|TRACE|PATCH|\*)$/;

export function translateCors(filter: HTTPCORSFilter, field: string, report: RuleReport): CorsPolicy {
  const {
    allowOrigins = [],
    allowMethods = [],
    allowHeaders = [],
    exposeHeaders = [],
    allowCredentials = false,
  } = filter;
  const { maxAge = defaultMaxAgeSeconds } = filter;

  function check(name: keyof HTTPCORSFilter, values: readonly string[], isValid: (value: string) => boolean): void {
    for (const [index, value] of values.entries())
      if (!isValid(value)) report.refuse(`${field}.${name}[${index}]`, `${JSON.stringify(value)} is not supported`);
    if (name !== "exposeHeaders" && values.includes("*") && values.length > 1)
      report.refuse(`${field}.${name}`, "* cannot stand beside others");
  }

  check("allowOrigins", allowOrigins, (origin) => originPattern.test(origin));
  check("allowMethods", allowMethods, (method) => methodPattern.test(method));
  check("allowHeaders", allowHeaders, isToken);
  check("exposeHeaders", exposeHeaders, isToken);
  if (!Number.isInteger(maxAge) || maxAge < 1) report.refuse(`${field}.maxAge`, `${maxAge} is less than a second`);
  return { allowOrigins, allowMethods, allowHeaders, exposeHeaders, allowCredentials, maxAgeSeconds: maxAge };
}
