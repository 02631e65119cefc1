import type { FeatureName } from "@gatewright/crd-types/gateway/features";
import type { StoredKind } from "../../store/index.ts";

/**
 * The features of the Gateway API that work here: a name is added when the tests of its feature pass. In ascending order of
 * the names, which the API demands.
 */
export const supportedFeatures: readonly FeatureName[] = [
  "BackendTLSPolicy",
  "BackendTLSPolicySANValidation",
  "ClusterTrustBundle",
  "GRPCRoute",
  "GRPCRouteNamedRouteRule",
  "GRPCRouteRequestHeaderModifier",
  "Gateway",
  "GatewayAddressEmpty",
  "GatewayBackendClientCertificate",
  "GatewayFrontendClientCertificateValidation",
  "GatewayFrontendClientCertificateValidationInsecureFallback",
  "GatewayHTTPListenerIsolation",
  "GatewayHTTPSListenerDetectMisdirectedRequests",
  "GatewayInfrastructure",
  "GatewayPort8080",
  "GatewayRouteHostnameIntersectionPrecedence",
  "GatewayStaticAddresses",
  "HTTPRoute",
  "HTTPRoute303RedirectStatusCode",
  "HTTPRoute307RedirectStatusCode",
  "HTTPRoute308RedirectStatusCode",
  "HTTPRouteBackendProtocolH2C",
  "HTTPRouteBackendProtocolWebSocket",
  "HTTPRouteBackendRequestHeaderModification",
  "HTTPRouteBackendTimeout",
  "HTTPRouteBackendURLRewrite",
  "HTTPRouteCORS",
  "HTTPRouteDestinationPortMatching",
  "HTTPRouteHostRewrite",
  "HTTPRouteMethodMatching",
  "HTTPRouteNamedRouteRule",
  "HTTPRouteParentRefPort",
  "HTTPRoutePathRedirect",
  "HTTPRoutePathRewrite",
  "HTTPRoutePortRedirect",
  "HTTPRouteQueryParamMatching",
  "HTTPRouteRequestMirror",
  "HTTPRouteRequestMultipleMirrors",
  "HTTPRouteRequestPercentageMirror",
  "HTTPRouteRequestTimeout",
  "HTTPRouteResponseHeaderModification",
  "HTTPRouteRetryCodes",
  "HTTPRouteRetryConnectionError",
  "HTTPRouteSchemeRedirect",
  "ListenerSet",
  "ReferenceGrant",
  "TCPRoute",
  "TLSRoute",
  "TLSRouteModeMixed",
  "TLSRouteModeTerminate",
  "UDPRoute",
];

/** Features that there can only be where the cluster has a kind. */
const needs: Readonly<Partial<Record<FeatureName, StoredKind>>> = { ClusterTrustBundle: "ClusterTrustBundle" };

/** The features that work in a cluster without some kinds. */
export const featuresWhere = (isAbsent: (kind: StoredKind) => boolean): readonly FeatureName[] =>
  supportedFeatures.filter((feature) => {
    const kind = needs[feature];
    return kind === undefined || !isAbsent(kind);
  });
