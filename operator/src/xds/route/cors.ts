import type { Any } from "@bufbuild/protobuf/wkt";
import { CorsPolicySchema } from "@gatewright/crd-types/proto/envoy/extensions/filters/http/cors/v3/cors_pb";
import type { StringMatcherSchema } from "@gatewright/crd-types/proto/envoy/type/matcher/v3/string_pb";
import type { CorsPolicy } from "../../ir/index.ts";
import { packAny } from "../proto/index.ts";
import { escapeRegex } from "./regex.ts";
import type { Init } from "../init.ts";

/**
 * A route's CORS in Envoy's words. Envoy answers `*` in methods and headers with what was asked for where credentials are
 * allowed, as Gateway API wants; for origins it always does.
 */
export function corsConfig(policy: CorsPolicy): Any {
  // With credentials `*` would name a header called `*`: Gateway API wants it left out.
  const exposed = policy.allowCredentials ? policy.exposeHeaders.filter((name) => name !== "*") : policy.exposeHeaders;
  return packAny(CorsPolicySchema, {
    allowOriginStringMatch: policy.allowOrigins.map(originMatch),
    allowMethods: policy.allowMethods.join(","),
    allowHeaders: policy.allowHeaders.join(","),
    exposeHeaders: exposed.join(","),
    maxAge: String(policy.maxAgeSeconds),
    ...(policy.allowCredentials ? { allowCredentials: true } : {}),
    // A preflight that is not allowed is answered here, without the headers that would allow it; the backend never sees it.
    forwardNotMatchingPreflights: false,
  });
}

/**
 * Where credentials are allowed Envoy answers `*` with the headers that were asked for, and with an empty header where none were: Gateway
 * API wants it left out then.
 */
export const echoesHeaders = ({ allowCredentials, allowHeaders }: CorsPolicy): boolean =>
  allowCredentials && allowHeaders.includes("*");

/** `*` in a host stands for any number of labels. An origin without a port has the default one of its scheme. */
function originMatch(origin: string): Init<typeof StringMatcherSchema> {
  if (origin === "*") return { matchPattern: { case: "safeRegex", value: { regex: ".*" } } };
  // Browsers do not name the default port.
  const sent = origin.replace(/^(http:.*):80$|^(https:.*):443$/, "$1$2");
  if (!sent.includes("*")) return { matchPattern: { case: "exact", value: sent }, ignoreCase: true };
  const pattern = sent.split("*").map(escapeRegex).join("[^/:]+");
  return { matchPattern: { case: "safeRegex", value: { regex: `(?i)${pattern}` } } };
}
