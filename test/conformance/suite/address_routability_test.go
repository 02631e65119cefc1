package suite

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/stretchr/testify/require"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
	"sigs.k8s.io/gateway-api/conformance/tests"
	"sigs.k8s.io/gateway-api/conformance/utils/http"
	"sigs.k8s.io/gateway-api/conformance/utils/kubernetes"
	"sigs.k8s.io/gateway-api/conformance/utils/suite"
	"sigs.k8s.io/gateway-api/pkg/features"
)

// The scenarios of GEP-5093, for which the suite has no tests of its own, and that a Gateway answers at the address which it says is inside
// of the cluster. They ask nothing of an implementation but what the GEP does.
// https://gateway-api.sigs.k8s.io/geps/gep-5093/#conformance-test-scenarios

func init() {
	if os.Getenv(ownTests) != "" {
		tests.ConformanceTests = append(tests.ConformanceTests, routabilityTests...)
	}
}

const (
	sentinel = gatewayv1.GatewayAddressRoutabilityType("testing.x-k8s.io/sentinel")
	cluster  = gatewayv1.GatewayAddressRoutabilityCluster
	usual    = gatewayv1.GatewayAddressRoutabilityDefault
)

var (
	routabilityFeatures   = []features.FeatureName{features.SupportGateway, features.SupportGatewayAddressRoutability}
	clusterFeatures       = append(slices.Clone(routabilityFeatures), features.SupportGatewayAddressRoutabilityCluster)
	staticClusterFeatures = append(slices.Clone(clusterFeatures), features.SupportGatewayStaticAddresses)
)

var routabilityTests = []suite.ConformanceTest{
	{
		ShortName:   "GatewayAddressRoutabilityValidation",
		Description: "routability of addresses is empty, Cluster or a prefixed path, in spec and status",
		Features:    routabilityFeatures,
		Parallel:    true,
		Test:        routabilityValidation,
	},
	{
		ShortName:   "GatewayAddressRoutabilityFeatures",
		Description: "A GatewayClass that claims GatewayAddressRoutabilityCluster claims GatewayAddressRoutability",
		Features:    []features.FeatureName{features.SupportGateway, features.SupportGatewayAddressRoutabilityCluster},
		Parallel:    true,
		Test: func(t *testing.T, s *suite.ConformanceTestSuite) {
			class := &gatewayv1.GatewayClass{}
			require.NoError(t, s.Client.Get(t.Context(), types.NamespacedName{Name: s.GatewayClassName}, class))
			claims := func(feature features.FeatureName) bool {
				return slices.ContainsFunc(class.Status.SupportedFeatures, func(supported gatewayv1.SupportedFeature) bool {
					return string(supported.Name) == string(feature)
				})
			}
			require.True(t, claims(features.SupportGatewayAddressRoutabilityCluster))
			require.True(t, claims(features.SupportGatewayAddressRoutability))
		},
	},
	{
		ShortName:   "GatewayAddressRoutabilitySentinel",
		Description: "An address that is asked for with the sentinel is reported with it",
		Features:    routabilityFeatures,
		Parallel:    true,
		Test: func(t *testing.T, s *suite.ConformanceTestSuite) {
			gateway := openGateway(t, s, "sentinel", asked(sentinel))
			gateway.mustBeAssigned(sentinel)
		},
	},
	{
		ShortName:   "GatewayAddressRoutabilityUnsupported",
		Description: "An address that is asked for with a reserved value is not assigned, and nothing stands for it",
		Features:    routabilityFeatures,
		Parallel:    true,
		Test: func(t *testing.T, s *suite.ConformanceTestSuite) {
			gateway := openGateway(t, s, "unsupported", asked("testing.x-k8s.io/unsupported"))
			gateway.mustBeUnassigned()
		},
	},
	{
		ShortName:   "GatewayAddressRoutabilityDefault",
		Description: "Addresses that are asked for without routability, or not at all, are reported with one",
		Features:    routabilityFeatures,
		Parallel:    true,
		Test: func(t *testing.T, s *suite.ConformanceTestSuite) {
			t.Run("no address", func(t *testing.T) {
				openGateway(t, s, "none").mustHaveUsual()
			})
			t.Run("any address", func(t *testing.T) {
				gateway := openGateway(t, s, "any", gatewayv1.GatewaySpecAddress{Type: ipAddress()})
				require.Len(t, gateway.mustHaveUsual(), 1)
			})
			t.Run("any address, explicitly", func(t *testing.T) {
				gateway := openGateway(t, s, "explicit", asked(usual))
				require.Len(t, gateway.mustHaveUsual(), 1)
			})
		},
	},
	{
		ShortName:   "GatewayAddressRoutabilityCluster",
		Description: "An address of routability Cluster is one of the ServiceCIDR, and answers inside of the cluster",
		Features:    append(slices.Clone(clusterFeatures), features.SupportHTTPRoute),
		Parallel:    true,
		Test: func(t *testing.T, s *suite.ConformanceTestSuite) {
			gateway := openGateway(t, s, "cluster", asked(cluster))
			addresses := gateway.mustBeAssigned(cluster)
			gateway.mustBeOfCluster(addresses[0])
			gateway.mustAnswer(addresses[0])
		},
	},
	{
		ShortName:   "GatewayAddressRoutabilityClusterAndDefault",
		Description: "A Gateway can have an address of routability Cluster beside another, in whatever order",
		Features:    append(slices.Clone(clusterFeatures), features.SupportHTTPRoute),
		Parallel:    true,
		Test: func(t *testing.T, s *suite.ConformanceTestSuite) {
			for name, addresses := range map[string][]gatewayv1.GatewaySpecAddress{
				"usual-first":   {asked(usual), asked(cluster)},
				"cluster-first": {asked(cluster), asked(usual)},
			} {
				t.Run(name, func(t *testing.T) {
					gateway := openGateway(t, s, name, addresses...)
					reported := gateway.mustBeAssigned(cluster, usual)
					require.NotEqual(t, reported[0].Value, reported[1].Value)
					for _, address := range reported {
						if *address.Routability == cluster {
							gateway.mustBeOfCluster(address)
						}
						gateway.mustAnswer(address)
					}
				})
			}
		},
	},
	{
		ShortName:   "GatewayAddressRoutabilityClusterStatic",
		Description: "A static address of the ServiceCIDR is reported as it was asked for",
		Features:    staticClusterFeatures,
		Parallel:    true,
		Test: func(t *testing.T, s *suite.ConformanceTestSuite) {
			wanted := asked(cluster)
			wanted.Value = freeClusterIP(t, s)
			gateway := openGateway(t, s, "static", wanted)
			addresses := gateway.mustBeAssigned(cluster)
			require.Equal(t, wanted.Value, addresses[0].Value)
		},
	},
	{
		ShortName:   "GatewayAddressRoutabilityClusterStaticOutside",
		Description: "A static address of routability Cluster that is not of the ServiceCIDR is not assigned, at nobody else's cost",
		Features:    staticClusterFeatures,
		Parallel:    true,
		Test: func(t *testing.T, s *suite.ConformanceTestSuite) {
			outside := asked(cluster)
			// https://www.rfc-editor.org/rfc/rfc5737
			outside.Value = "203.0.113.77"
			t.Run("alone", func(t *testing.T) {
				openGateway(t, s, "outside-alone", outside).mustBeUnassigned()
			})
			t.Run("beside another", func(t *testing.T) {
				gateway := openGateway(t, s, "outside-beside", outside, asked(usual))
				condition := gateway.mustHave(gatewayv1.GatewayConditionAddressesAssigned, metav1.ConditionFalse)
				if condition.Reason == string(gatewayv1.GatewayReasonAddressesNotAssigned) {
					// Who takes all or nothing may do so.
					gateway.mustBeUnassigned()
					return
				}
				gateway.until(func(status gatewayv1.GatewayStatus) error {
					if len(status.Addresses) != 1 {
						return fmt.Errorf("there are %d addresses", len(status.Addresses))
					}
					condition := meta.FindStatusCondition(status.Conditions, string(gatewayv1.GatewayConditionAddressesAssigned))
					if condition.Reason != string(gatewayv1.GatewayReasonAddressesPartiallyAssigned) {
						return fmt.Errorf("the reason is %s", condition.Reason)
					}
					if !strings.Contains(condition.Message, outside.Value) {
						return fmt.Errorf("%q does not name %s", condition.Message, outside.Value)
					}
					return nil
				})
				gateway.mustHave(gatewayv1.GatewayConditionProgrammed, metav1.ConditionTrue)
			})
		},
	},
}

func ipAddress() *gatewayv1.AddressType {
	kind := gatewayv1.IPAddressType
	return &kind
}

func asked(routability gatewayv1.GatewayAddressRoutabilityType) gatewayv1.GatewaySpecAddress {
	return gatewayv1.GatewaySpecAddress{Type: ipAddress(), Routability: routability}
}

func routabilityValidation(t *testing.T, s *suite.ConformanceTestSuite) {
	good := []string{"", "Cluster", "example.com/CorpWan", "a.b/c/d", string(sentinel), "testing.x-k8s.io/other"}
	bad := []string{
		"Public", "cluster", "/path", "example.com/", "Example.com/path", "-a.com/path", "k8s.io/value", "example.k8s.io/value",
		"gateway.networking.k8s.io/value", strings.Repeat("a", 63) + ".com/" + strings.Repeat("b", 253),
	}
	// Of a class that nobody has: nothing is made for it, and nobody else writes its status.
	gateway := gatewayOf("routability-validation", "nobodys")
	require.NoError(t, client.IgnoreAlreadyExists(s.Client.Create(t.Context(), gateway)))
	t.Cleanup(func() { require.NoError(t, client.IgnoreNotFound(s.Client.Delete(context.Background(), gateway))) })
	try := func(t *testing.T, value string) (inSpec, inStatus error) {
		entry := fmt.Sprintf(`{"type":"IPAddress","value":"192.0.2.1","routability":%q}`, value)
		spec := client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"spec":{"addresses":[%s]}}`, entry))
		status := client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"status":{"addresses":[%s]}}`, entry))
		inSpec = s.Client.Patch(t.Context(), gateway.DeepCopy(), spec, client.DryRunAll)
		inStatus = s.Client.Status().Patch(t.Context(), gateway.DeepCopy(), status, client.DryRunAll)
		return inSpec, inStatus
	}
	for _, value := range good {
		inSpec, inStatus := try(t, value)
		require.NoError(t, inSpec, value)
		require.NoError(t, inStatus, value)
	}
	for _, value := range bad {
		inSpec, inStatus := try(t, value)
		require.True(t, apierrors.IsInvalid(inSpec), "spec %q: %v", value, inSpec)
		require.True(t, apierrors.IsInvalid(inStatus), "status %q: %v", value, inStatus)
	}
}

// openedGateway is a Gateway with one HTTP listener.
type openedGateway struct {
	*testing.T
	s    *suite.ConformanceTestSuite
	name types.NamespacedName
}

func gatewayOf(name, class string, addresses ...gatewayv1.GatewaySpecAddress) *gatewayv1.Gateway {
	return &gatewayv1.Gateway{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: infra},
		Spec: gatewayv1.GatewaySpec{
			GatewayClassName: gatewayv1.ObjectName(class),
			Addresses:        addresses,
			Listeners:        []gatewayv1.Listener{{Name: "http", Port: 80, Protocol: gatewayv1.HTTPProtocolType}},
		},
	}
}

func openGateway(t *testing.T, s *suite.ConformanceTestSuite, name string, addresses ...gatewayv1.GatewaySpecAddress) *openedGateway {
	gateway := gatewayOf("routability-"+name, s.GatewayClassName, addresses...)
	opened := &openedGateway{T: t, s: s, name: client.ObjectKeyFromObject(gateway)}
	opened.create(gateway)
	return opened
}

func (g *openedGateway) create(object client.Object) {
	require.NoError(g, g.s.Client.Create(g.Context(), object))
	g.Cleanup(func() {
		if g.s.CleanupTestResources {
			require.NoError(g, client.IgnoreNotFound(g.s.Client.Delete(context.Background(), object)))
		}
	})
}

// until waits until a status of the newest generation is as it should be, and returns it.
func (g *openedGateway) until(judge func(status gatewayv1.GatewayStatus) error) gatewayv1.GatewayStatus {
	gateway := &gatewayv1.Gateway{}
	var problem error
	require.Eventually(g, func() bool {
		if problem = g.s.Client.Get(g.Context(), g.name, gateway); problem == nil {
			if problem = kubernetes.ConditionsHaveLatestObservedGeneration(gateway, gateway.Status.Conditions); problem == nil {
				problem = judge(gateway.Status)
			}
		}
		if problem != nil {
			g.Logf("%s: %v", g.name, problem)
		}
		return problem == nil
	}, g.s.TimeoutConfig.GatewayMustHaveAddress, g.s.TimeoutConfig.DefaultPollInterval, "%s", g.name)
	return gateway.Status
}

func (g *openedGateway) mustHave(kind gatewayv1.GatewayConditionType, wanted metav1.ConditionStatus) *metav1.Condition {
	var found *metav1.Condition
	g.until(func(status gatewayv1.GatewayStatus) error {
		found = meta.FindStatusCondition(status.Conditions, string(kind))
		if found == nil || found.Status != wanted {
			return fmt.Errorf("%s is %v", kind, found)
		}
		return nil
	})
	return found
}

// mustBeAssigned expects one address for each routability, and no other; where any is wanted, it may be Cluster.
func (g *openedGateway) mustBeAssigned(wanted ...gatewayv1.GatewayAddressRoutabilityType) []gatewayv1.GatewayStatusAddress {
	status := g.until(func(status gatewayv1.GatewayStatus) error {
		condition := meta.FindStatusCondition(status.Conditions, string(gatewayv1.GatewayConditionAddressesAssigned))
		if condition == nil || condition.Status != metav1.ConditionTrue || condition.Reason != string(gatewayv1.GatewayReasonAddressesAssigned) {
			return fmt.Errorf("AddressesAssigned is %v", condition)
		}
		if len(status.Addresses) != len(wanted) {
			return fmt.Errorf("there are %d addresses", len(status.Addresses))
		}
		rest := slices.Clone(status.Addresses)
		for _, routability := range wanted {
			index := slices.IndexFunc(rest, func(address gatewayv1.GatewayStatusAddress) bool {
				return address.Routability != nil && *address.Type == gatewayv1.IPAddressType &&
					(*address.Routability == routability || routability == usual && *address.Routability == cluster)
			})
			if index < 0 {
				return fmt.Errorf("no address of routability %q is in %v", routability, rest)
			}
			rest = slices.Delete(rest, index, index+1)
		}
		return nil
	})
	g.mustHave(gatewayv1.GatewayConditionProgrammed, metav1.ConditionTrue)
	return status.Addresses
}

func (g *openedGateway) mustBeUnassigned() {
	assigned := g.mustHave(gatewayv1.GatewayConditionAddressesAssigned, metav1.ConditionFalse)
	require.Equal(g, string(gatewayv1.GatewayReasonAddressesNotAssigned), assigned.Reason)
	programmed := g.mustHave(gatewayv1.GatewayConditionProgrammed, metav1.ConditionFalse)
	require.Equal(g, string(gatewayv1.GatewayReasonAddressNotAssigned), programmed.Reason)
	status := g.until(func(gatewayv1.GatewayStatus) error { return nil })
	require.Empty(g, status.Addresses)
}

// mustHaveUsual expects that every address says whether it is one of the cluster, which it is if it is in the ServiceCIDR.
func (g *openedGateway) mustHaveUsual() []gatewayv1.GatewayStatusAddress {
	g.mustHave(gatewayv1.GatewayConditionAddressesAssigned, metav1.ConditionTrue)
	status := g.until(func(status gatewayv1.GatewayStatus) error {
		if len(status.Addresses) == 0 {
			return fmt.Errorf("there is no address")
		}
		return nil
	})
	claimsCluster := g.s.SupportedFeatures.Has(features.SupportGatewayAddressRoutabilityCluster)
	for _, address := range status.Addresses {
		require.NotNil(g, address.Routability)
		if claimsCluster && isOfCluster(g.T, g.s, address.Value) {
			require.Equal(g, cluster, *address.Routability)
		} else {
			require.Equal(g, usual, *address.Routability)
		}
	}
	return status.Addresses
}

func (g *openedGateway) mustBeOfCluster(address gatewayv1.GatewayStatusAddress) {
	require.True(g, isOfCluster(g.T, g.s, address.Value), "%s is not in the ServiceCIDR", address.Value)
}

func (g *openedGateway) mustAnswer(address gatewayv1.GatewayStatusAddress) {
	route := &gatewayv1.HTTPRoute{
		ObjectMeta: metav1.ObjectMeta{Name: g.name.Name, Namespace: infra},
		Spec: gatewayv1.HTTPRouteSpec{
			CommonRouteSpec: gatewayv1.CommonRouteSpec{ParentRefs: []gatewayv1.ParentReference{{Name: gatewayv1.ObjectName(g.name.Name)}}},
			Rules: []gatewayv1.HTTPRouteRule{{BackendRefs: []gatewayv1.HTTPBackendRef{{BackendRef: gatewayv1.BackendRef{
				BackendObjectReference: gatewayv1.BackendObjectReference{Name: suite.InfraBackendServiceNameV1, Port: portNumber(8080)},
			}}}}},
		},
	}
	if err := g.s.Client.Get(g.Context(), g.name, &gatewayv1.HTTPRoute{}); apierrors.IsNotFound(err) {
		g.create(route)
	}
	at := net.JoinHostPort(address.Value, "80")
	http.MakeRequestAndExpectEventuallyConsistentResponse(g.T, g.s.RoundTripper, g.s.TimeoutConfig, at, http.ExpectedResponse{
		Request:   http.Request{Path: "/"},
		Response:  http.Response{StatusCode: 200},
		Backend:   suite.InfraBackendServiceNameV1,
		Namespace: infra,
	})
}

func portNumber(port int32) *gatewayv1.PortNumber {
	number := gatewayv1.PortNumber(port)
	return &number
}

// serviceCIDRs are the ranges of the cluster's Services.
func serviceCIDRs(t *testing.T, s *suite.ConformanceTestSuite) []netip.Prefix {
	list, err := s.Clientset.NetworkingV1().ServiceCIDRs().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	prefixes := []netip.Prefix{}
	for _, each := range list.Items {
		prefixes = append(prefixes, prefixesOf(t, each)...)
	}
	require.NotEmpty(t, prefixes)
	return prefixes
}

func prefixesOf(t *testing.T, each networkingv1.ServiceCIDR) []netip.Prefix {
	prefixes := []netip.Prefix{}
	for _, text := range each.Spec.CIDRs {
		prefix, err := netip.ParsePrefix(text)
		require.NoError(t, err)
		prefixes = append(prefixes, prefix)
	}
	return prefixes
}

func isOfCluster(t *testing.T, s *suite.ConformanceTestSuite, value string) bool {
	address, err := netip.ParseAddr(value)
	return err == nil && slices.ContainsFunc(serviceCIDRs(t, s), func(prefix netip.Prefix) bool { return prefix.Contains(address) })
}

// freeClusterIP is an address low in the ServiceCIDR, of the part from which none is given by itself.
// https://kubernetes.io/docs/concepts/services-networking/cluster-ip-allocation/
func freeClusterIP(t *testing.T, s *suite.ConformanceTestSuite) string {
	services := &corev1.ServiceList{}
	require.NoError(t, s.Client.List(t.Context(), services))
	taken := map[string]bool{}
	for _, service := range services.Items {
		for _, ip := range service.Spec.ClusterIPs {
			taken[ip] = true
		}
	}
	address := serviceCIDRs(t, s)[0].Masked().Addr().Next()
	for range 14 {
		if address = address.Next(); !taken[address.String()] {
			return address.String()
		}
	}
	t.Skip("all of the first addresses of the ServiceCIDR are taken")
	return ""
}
