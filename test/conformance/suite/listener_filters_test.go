package suite

import (
	"embed"
	"io/fs"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
	"sigs.k8s.io/gateway-api/conformance/tests"
	"sigs.k8s.io/gateway-api/conformance/utils/http"
	"sigs.k8s.io/gateway-api/conformance/utils/kubernetes"
	"sigs.k8s.io/gateway-api/conformance/utils/suite"
	"sigs.k8s.io/gateway-api/pkg/features"
)

// What GEP-5224 asks of filters of listeners, for which the suite has no tests. But for the last one, which is about an ExtensionRef of
// Gatewright's, they ask nothing of an implementation but what the GEP does.
// https://gateway-api.sigs.k8s.io/geps/gep-5224/#conformance

//go:embed listener-filters
var listenerFilterManifests embed.FS

var listenerFilterFeatures = []features.FeatureName{
	features.SupportGateway, features.SupportHTTPRoute, features.SupportGatewayListenerFilters,
}

func init() {
	if os.Getenv(ownTests) != "" {
		tests.ConformanceTests = append(tests.ConformanceTests, listenerFilterTests...)
	}
}

var listenerFilterTests = []suite.ConformanceTest{
	{
		ShortName:   "GatewayListenerFilters",
		Description: "Filters of listeners run before a route is chosen, in their order, for their own listener, and leave the host alone",
		Features:    append(listenerFilterFeatures, features.SupportListenerSet),
		Parallel:    true,
		Test:        listenerFilterTraffic,
	},
	{
		ShortName:   "GatewayListenerFiltersInvalid",
		Description: "A listener whose filters cannot be resolved says so, lets no request by, and disturbs no other",
		Features:    append(listenerFilterFeatures, features.SupportReferenceGrant),
		Parallel:    true,
		Test:        brokenListenerFilters,
	},
	{
		ShortName:   "GatewayListenerFiltersProtocol",
		Description: "Only listeners of HTTP and HTTPS may have filters",
		Features:    listenerFilterFeatures,
		Parallel:    true,
		Test: func(t *testing.T, s *suite.ConformanceTestSuite) {
			gateway := &gatewayv1.Gateway{
				ObjectMeta: metav1.ObjectMeta{Name: "listener-filters-of-tcp", Namespace: infra},
				Spec: gatewayv1.GatewaySpec{
					GatewayClassName: gatewayv1.ObjectName(s.GatewayClassName),
					Listeners: []gatewayv1.Listener{{
						Name: "tcp", Port: 9000, Protocol: gatewayv1.TCPProtocolType, Filters: &gatewayv1.ListenerFilters{},
					}},
				},
			}
			err := s.Client.Create(t.Context(), gateway)
			require.True(t, apierrors.IsInvalid(err), "the Gateway is taken, or refused for another reason: %v", err)
			require.ErrorContains(t, err, "filters may only be set when protocol is HTTP or HTTPS")
		},
	},
	{
		ShortName:   "GatewayListenerFiltersHTTPFilter",
		Description: "HTTPFilters of listeners: the second of two has the last word, routes are chosen by it, and none may change the host",
		Features:    listenerFilterFeatures,
		Parallel:    true,
		Test:        listenerHTTPFilters,
	},
}

func applyListenerFilters(t *testing.T, s *suite.ConformanceTestSuite, file string) {
	applier := s.Applier
	applier.ManifestFS = []fs.FS{listenerFilterManifests}
	applier.MustApplyWithCleanup(t, s.Client, s.TimeoutConfig, "listener-filters/"+file, s.CleanupTestResources)
	kubernetes.NamespacesMustBeReady(t, s.Client, s.TimeoutConfig, []string{infra})
}

func inInfra(name string) types.NamespacedName {
	return types.NamespacedName{Name: name, Namespace: infra}
}

// addressOf waits for a Gateway and its route, both of one name.
func addressOf(t *testing.T, s *suite.ConformanceTestSuite, name string) string {
	return kubernetes.GatewayAndRoutesMustBeAccepted(t, s.Client, s.TimeoutConfig, s.ControllerName,
		kubernetes.NewGatewayRef(inInfra(name)), &gatewayv1.HTTPRoute{}, false, inInfra(name))
}

// exchange is a request, and what comes of it.
type exchange struct {
	name, host, path string
	headers          map[string]string
	// answers are the headers with which an echo server answers: who is asked by a filter is one.
	answers map[string]string
	backend string
	// arrives is what the backend must see besides the host, which is that of the request.
	arrives map[string]string
	// statuses are those of an answer that comes from no backend.
	statuses []int
}

func mustExchange(t *testing.T, s *suite.ConformanceTestSuite, address string, exchanges []exchange) {
	for _, each := range exchanges {
		t.Run(each.name, func(t *testing.T) {
			t.Parallel()
			expected := http.ExpectedResponse{
				Namespace: infra,
				Request:   http.Request{Host: each.host, Path: each.path, Headers: each.headers},
				Response:  http.Response{StatusCodes: each.statuses},
				Backend:   each.backend,

				BackendSetResponseHeaders: each.answers,
			}
			if len(each.statuses) == 0 {
				expected.Response.StatusCode = 200
				expected.ExpectedRequest = &http.ExpectedRequest{
					Request: http.Request{Host: each.host, Path: each.path, Headers: each.arrives},
				}
			}
			http.MakeRequestAndExpectEventuallyConsistentResponse(t, s.RoundTripper, s.TimeoutConfig, address, expected)
		})
	}
}

const (
	v1 = "infra-backend-v1"
	v2 = "infra-backend-v2"
	v3 = "infra-backend-v3"
)

func listenerFilterTraffic(t *testing.T, s *suite.ConformanceTestSuite) {
	applyListenerFilters(t, s, "traffic.yaml")
	address := addressOf(t, s, "listener-filters")
	gold := map[string]string{"x-tenant": "gold"}
	// The first filter makes the second one set the tenant; the other way round, nobody does.
	twice := map[string]string{"x-echo-set-header": "x-tenant:gold"}
	mustExchange(t, s, address, []exchange{
		{name: "a route is chosen by what a filter has set", host: "claims.example.com", path: "/", answers: gold, backend: v2, arrives: gold},
		{name: "a route is chosen by what a filter has set, and not by what came", host: "claims.example.com", path: "/", headers: gold, answers: map[string]string{"x-tenant": "tin"}, backend: v3, arrives: map[string]string{"x-tenant": "tin"}},
		{name: "the host stays what it is", host: "claims.example.com", path: "/", answers: map[string]string{"host": "plain.example.com", "x-tenant": "gold"}, backend: v2, arrives: gold},
		{name: "filters run in their order", host: "in-order.example.com", path: "/", answers: twice, backend: v2, arrives: gold},
		{name: "filters run in their order, the other way round", host: "reversed.example.com", path: "/", answers: twice, backend: v3},
		{name: "filters of a ListenerSet's listener run", host: "set.example.com", path: "/", answers: twice, backend: v2, arrives: gold},
		{name: "the filters of a listener are not another's", host: "plain.example.com", path: "/", answers: gold, backend: v3},
		{name: "a filter that answers ends it", host: "denied.example.com", path: "/401", statuses: []int{401}},
		{name: "a filter that denies does so whatever it says", host: "denied.example.com", path: "/418", statuses: []int{418}},
		{name: "a filter that agrees lets it go on", host: "denied.example.com", path: "/200", backend: v3},
	})
}

func brokenListenerFilters(t *testing.T, s *suite.ConformanceTestSuite) {
	applyListenerFilters(t, s, "broken.yaml")
	const name = "listener-filters-broken"
	resolved := func(status metav1.ConditionStatus, reason string) []metav1.Condition {
		return []metav1.Condition{{Type: string(gatewayv1.ListenerConditionResolvedRefs), Status: status, Reason: reason}}
	}
	for listener, want := range map[string]struct{ reason, filter string }{
		"no-server":     {"InvalidListenerFilterRef", "filters.requests[0]"},
		"no-extension":  {"InvalidListenerFilterRef", "filters.requests[1]"},
		"not-permitted": {string(gatewayv1.ListenerReasonRefNotPermitted), "filters.requests[0]"},
	} {
		kubernetes.GatewayListenerMustHaveConditions(t, s.Client, s.TimeoutConfig, inInfra(name), listener, resolved(metav1.ConditionFalse, want.reason))
		gateway := &gatewayv1.Gateway{}
		require.NoError(t, s.Client.Get(t.Context(), inInfra(name), gateway))
		for _, status := range gateway.Status.Listeners {
			if string(status.Name) == listener {
				condition := meta.FindStatusCondition(status.Conditions, string(gatewayv1.ListenerConditionResolvedRefs))
				require.Contains(t, condition.Message, want.filter, "the message names the filter")
			}
		}
	}
	kubernetes.GatewayListenerMustHaveConditions(t, s.Client, s.TimeoutConfig, inInfra(name), "good",
		resolved(metav1.ConditionTrue, string(gatewayv1.ListenerReasonResolvedRefs)))
	address, err := kubernetes.WaitForGatewayAddress(t, s.Client, s.TimeoutConfig, kubernetes.NewGatewayRef(inInfra(name), "good"))
	require.NoError(t, err)
	// The route is attached to the wide listener as well, which must not serve what the filters were to guard.
	nobody := []int{404, 500, 502, 503}
	mustExchange(t, s, address, []exchange{
		{name: "another listener is served", host: "good.example.com", path: "/", backend: v1},
		{name: "nothing passes by a server that is not there", host: "no-server.example.com", path: "/", statuses: nobody},
		{name: "nothing passes by an extension that is not there", host: "no-extension.example.com", path: "/", statuses: nobody},
		{name: "nothing passes by a server that may not be asked", host: "not-permitted.example.com", path: "/", statuses: nobody},
	})
}

func listenerHTTPFilters(t *testing.T, s *suite.ConformanceTestSuite) {
	kind := schema.GroupKind{Group: "config.aether.io", Kind: "HTTPFilter"}
	if _, err := s.Client.RESTMapper().RESTMapping(kind); err != nil {
		t.Skipf("the cluster has no %s: %v", kind, err)
	}
	applyListenerFilters(t, s, "http-filter.yaml")
	const name = "listener-http-filters"
	kubernetes.GatewayListenerMustHaveConditions(t, s.Client, s.TimeoutConfig, inInfra(name), "host", []metav1.Condition{{
		Type: string(gatewayv1.ListenerConditionAccepted), Status: metav1.ConditionFalse, Reason: "InvalidListenerFilter",
	}})
	address, err := kubernetes.WaitForGatewayAddress(t, s.Client, s.TimeoutConfig, kubernetes.NewGatewayRef(inInfra(name), "gold"))
	require.NoError(t, err)
	mustExchange(t, s, address, []exchange{
		{name: "the second has the last word", host: "gold.example.com", path: "/", backend: v2, arrives: map[string]string{"x-tenant": "gold"}},
		{name: "the second has the last word, the other way round", host: "silver.example.com", path: "/", backend: v1, arrives: map[string]string{"x-tenant": "silver"}},
		{name: "what came is not what a route is chosen by", host: "gold.example.com", path: "/", headers: map[string]string{"x-tenant": "silver"}, backend: v2},
		{name: "no other listener's requests are changed", host: "plain.example.com", path: "/", backend: v3},
		{name: "the host cannot be changed", host: "host.example.com", path: "/", statuses: []int{404, 500, 502, 503}},
	})
}
