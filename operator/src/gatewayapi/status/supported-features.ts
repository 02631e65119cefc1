import type { FeatureName } from "@gatewright/crd-types/gateway/features";
import type { OptionalField, StoredKind } from "../../store/index.ts";

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
  "GatewayAddressRoutability",
  "GatewayAddressRoutabilityCluster",
  "GatewayBackendClientCertificate",
  "GatewayFrontendClientCertificateValidation",
  "GatewayFrontendClientCertificateValidationInsecureFallback",
  "GatewayHTTPListenerIsolation",
  "GatewayHTTPSListenerDetectMisdirectedRequests",
  "GatewayInfrastructure",
  "GatewayListenerFilters",
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

/** Features that there can only be where the cluster has a kind, or its API a field. */
const needs: Readonly<Partial<Record<FeatureName, StoredKind | OptionalField>>> = {
  ClusterTrustBundle: "ClusterTrustBundle",
  GatewayListenerFilters: "Gateway.spec.listeners.filters",
  GatewayAddressRoutability: "Gateway.status.addresses.routability",
  GatewayAddressRoutabilityCluster: "Gateway.status.addresses.routability",
};

/** The features that work in a cluster without some kinds and fields. */
export const featuresWhere = (isAbsent: (what: StoredKind | OptionalField) => boolean): readonly FeatureName[] =>
  supportedFeatures.filter((feature) => {
    const what = needs[feature];
    return what === undefined || !isAbsent(what);
  });
