import { create } from "@bufbuild/protobuf";
import { type Any, durationFromMs } from "@bufbuild/protobuf/wkt";
import { HeaderMutationRulesSchema } from "@gatewright/crd-types/proto/envoy/config/common/mutation_rules/v3/mutation_rules_pb";
import { ApiVersion } from "@gatewright/crd-types/proto/envoy/config/core/v3/config_source_pb";
import { ExtAuthzSchema } from "@gatewright/crd-types/proto/envoy/extensions/filters/http/ext_authz/v3/ext_authz_pb";
import type { ListStringMatcherSchema } from "@gatewright/crd-types/proto/envoy/type/matcher/v3/string_pb";
import { StatusCode } from "@gatewright/crd-types/proto/envoy/type/v3/http_status_pb";
import type { ExternalAuth } from "../../ir/index.ts";
import { framingHeaders } from "../../lib/index.ts";
import type { Init } from "../init.ts";
import { packAny } from "../proto/index.ts";

/** Who asks for the request waits so long at most. */
const timeout = durationFromMs(5_000);

/** https://www.envoyproxy.io/docs/envoy/v1.40.0/configuration/http/http_filters/ext_authz_filter */
export function buildExternalAuth(auth: ExternalAuth): Any {
  const { requestHeaders, maxBodyBytes } = auth;
  return packAny(ExtAuthzSchema, {
    services: servicesOf(auth),
    transportApiVersion: ApiVersion.V3,
    // Nobody was asked: neither a yes nor a no, and never let by.
    statusOnError: { code: StatusCode.ServiceUnavailable },
    validateMutations: true,
    decoderHeaderMutationRules: mutationRules,
    ...(requestHeaders.length > 0 && { allowedHeaders: namesOf(requestHeaders) }),
    ...(maxBodyBytes !== undefined && { withRequestBody: { maxRequestBytes: maxBodyBytes } }),
    // Whose certificate a client shows is a reason to let it in or not.
    ...(auth.protocol === "grpc" && { includePeerCertificate: true, includeTlsSession: true }),
  });
}

function servicesOf(auth: ExternalAuth): NonNullable<Init<typeof ExtAuthzSchema>["services"]> {
  const { cluster, authority, pathPrefix, responseHeaders } = auth;
  if (auth.protocol === "grpc")
    return {
      case: "grpcService",
      value: { targetSpecifier: { case: "envoyGrpc", value: { clusterName: cluster, authority } }, timeout },
    };
  return {
    case: "httpService",
    value: {
      // The request goes by the cluster; Envoy wants a URI all the same.
      serverUri: { uri: `http://${authority}`, httpUpstreamType: { case: "cluster", value: cluster }, timeout },
      ...(pathPrefix !== undefined && { pathPrefix }),
      authorizationResponse: {
        allowedUpstreamHeaders: responseHeaders.length > 0 ? namesOf(responseHeaders) : anyName,
      },
    },
  };
}

/**
 * A server may change what routes are chosen by, but not the host, which says whose request it is, and nothing that frames the message:
 * what it says of its own answer there is wrong for the request. Envoy passes over such changes.
 */
const mutationRules = create(HeaderMutationRulesSchema, {
  allowAllRouting: true,
  disallowExpression: { regex: `(?i)(:authority|:scheme|host|${framingHeaders.join("|")})` },
});

type Names = Init<typeof ListStringMatcherSchema>;

const namesOf = (names: readonly string[]): Names => ({
  patterns: names.map((name) => ({ matchPattern: { case: "exact", value: name }, ignoreCase: true })),
});

const anyName: Names = { patterns: [{ matchPattern: { case: "safeRegex", value: { regex: ".*" } } }] };
