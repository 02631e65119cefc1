package suite

import (
	"bytes"
	"context"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	nethttp "net/http"
	"os"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/stretchr/testify/require"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
	"sigs.k8s.io/gateway-api/conformance/tests"
	"sigs.k8s.io/gateway-api/conformance/utils/http"
	"sigs.k8s.io/gateway-api/conformance/utils/kubernetes"
	"sigs.k8s.io/gateway-api/conformance/utils/suite"
	"sigs.k8s.io/gateway-api/conformance/utils/tls"
	"sigs.k8s.io/gateway-api/pkg/features"
)

// The seven rows of the conformance table of GEP-5075, for which the suite has no tests of its own. They ask nothing of an
// implementation but what the GEP does.
// https://gateway-api.sigs.k8s.io/geps/gep-5075/#7-conformance

// etcd names the variable with the URL of the cluster's etcd. The API server takes no bundle that is empty or cannot be parsed:
// to see what becomes of one, it is put where the API server finds it.
const etcd = "CONFORMANCE_ETCD"

func init() {
	if os.Getenv(ownTests) != "" {
		tests.ConformanceTests = append(tests.ConformanceTests, rows...)
	}
}

//go:embed cluster-trust-bundle
var manifests embed.FS

const infra = suite.InfrastructureNamespace

var (
	backendFeatures  = []features.FeatureName{features.SupportGateway, features.SupportHTTPRoute, features.SupportBackendTLSPolicy}
	frontendFeatures = []features.FeatureName{
		features.SupportGateway, features.SupportHTTPRoute, features.SupportGatewayFrontendClientCertificateValidation,
	}
)

// with is a list of features and one more.
func with(list []features.FeatureName) []features.FeatureName {
	return append(slices.Clone(list), features.SupportClusterTrustBundle)
}

var rows = []suite.ConformanceTest{
	{
		ShortName:   "BackendTLSPolicyClusterTrustBundle",
		Description: "A ClusterTrustBundle that caCertificateRefs names is what a backend is known by",
		Features:    with(backendFeatures),
		Parallel:    true,
		Test: func(t *testing.T, s *suite.ConformanceTestSuite) {
			row := openRow(t, s, "resolved")
			row.create(row.authority("tls-checks-ca-certificate"))
			row.mustBeResolved()
			row.mustAnswer(200)
		},
	},
	{
		ShortName:   "BackendTLSPolicyClusterTrustBundleNonexistent",
		Description: "A ClusterTrustBundle that does not exist is an invalid reference, and no backend is spoken to",
		Features:    with(backendFeatures),
		Parallel:    true,
		Test: func(t *testing.T, s *suite.ConformanceTestSuite) {
			row := openRow(t, s, "nonexistent")
			row.mustBeInvalid(gatewayv1.BackendTLSPolicyReasonInvalidCACertificateRef)
			row.mustAnswer(500, 502, 503)
		},
	},
	{
		ShortName:   "BackendTLSPolicyClusterTrustBundleUnavailable",
		Description: "Where the cluster has no ClusterTrustBundles, a reference to one is of an invalid kind, and all else goes on",
		// Without the feature: nobody may claim it there.
		Features: backendFeatures,
		Parallel: true,
		Test: func(t *testing.T, s *suite.ConformanceTestSuite) {
			if bundleVersion(t, s) != "" {
				t.Skip("the cluster has ClusterTrustBundles")
			}
			row := openRow(t, s, "unavailable")
			row.mustBeInvalid(gatewayv1.BackendTLSPolicyReasonInvalidKind)
			row.mustAnswer(500, 502, 503)
			t.Run("another source of trust is reconciled", func(t *testing.T) {
				other := *row
				other.T = t
				other.trust(map[string]any{"group": "", "kind": "ConfigMap", "name": "tls-checks-ca-certificate"})
				other.mustBeResolved()
				other.mustAnswer(200)
			})
			t.Run("the feature is not advertised", func(t *testing.T) {
				class := &gatewayv1.GatewayClass{}
				require.NoError(t, s.Client.Get(t.Context(), types.NamespacedName{Name: s.GatewayClassName}, class))
				for _, feature := range class.Status.SupportedFeatures {
					require.NotEqual(t, string(features.SupportClusterTrustBundle), string(feature.Name))
				}
			})
		},
	},
	{
		ShortName:   "BackendTLSPolicyClusterTrustBundleMalformed",
		Description: "A ClusterTrustBundle that is empty or cannot be parsed is an invalid reference, and no backend is spoken to",
		Features:    with(backendFeatures),
		Parallel:    true,
		Test: func(t *testing.T, s *suite.ConformanceTestSuite) {
			for name, content := range map[string]string{
				"empty":      "",
				"unparsable": "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
			} {
				t.Run(name, func(t *testing.T) {
					row := openRow(t, s, name)
					row.createMalformed(content)
					row.mustBeInvalid(gatewayv1.BackendTLSPolicyReasonInvalidCACertificateRef)
					row.mustAnswer(500, 502, 503)
				})
			}
		},
	},
	{
		ShortName:   "BackendTLSPolicyClusterTrustBundleUpdate",
		Description: "A ClusterTrustBundle that changes changes what a backend is known by",
		Features:    with(backendFeatures),
		Parallel:    true,
		Test: func(t *testing.T, s *suite.ConformanceTestSuite) {
			row := openRow(t, s, "updated")
			stranger, right := row.authority("tls-validity-checks-ca-certificate"), row.authority("tls-checks-ca-certificate")
			row.create(stranger)
			row.mustBeResolved()
			row.mustAnswer(500, 502, 503)
			row.update(right)
			row.mustAnswer(200)
			row.update(stranger)
			row.mustAnswer(500, 502, 503)
			row.mustBeResolved()
		},
	},
	{
		ShortName:   "BackendTLSPolicyClusterTrustBundleDelete",
		Description: "A ClusterTrustBundle that is deleted is an invalid reference, and no new session is begun by it",
		Features:    with(backendFeatures),
		Parallel:    true,
		Test: func(t *testing.T, s *suite.ConformanceTestSuite) {
			row := openRow(t, s, "deleted")
			bundle := row.create(row.authority("tls-checks-ca-certificate"))
			row.mustBeResolved()
			row.mustAnswer(200)
			require.NoError(t, s.Client.Delete(t.Context(), bundle))
			row.mustBeInvalid(gatewayv1.BackendTLSPolicyReasonInvalidCACertificateRef)
			row.mustAnswer(500, 502, 503)
			row.create(row.authority("tls-checks-ca-certificate"))
			row.mustBeResolved()
			row.mustAnswer(200)
		},
	},
	{
		ShortName:   "GatewayFrontendClusterTrustBundle",
		Description: "A ClusterTrustBundle that a Gateway names for its clients is what they are known by",
		Features:    with(frontendFeatures),
		Parallel:    true,
		Test:        frontend,
	},
}

func frontend(t *testing.T, s *suite.ConformanceTestSuite) {
	row := &row{T: t, s: s, name: "ctb-frontend"}
	row.create(row.authority("tls-validity-checks-ca-certificate"))
	row.apply("cluster-trust-bundle/frontend.yaml")
	gateway := types.NamespacedName{Name: "cluster-trust-bundle-frontend", Namespace: infra}
	resolved := []metav1.Condition{{
		Type:   string(gatewayv1.ListenerConditionResolvedRefs),
		Status: metav1.ConditionTrue,
		Reason: string(gatewayv1.ListenerReasonResolvedRefs),
	}}
	for _, listener := range []string{"https", "https-other-host", "https-other-port"} {
		kubernetes.GatewayListenerMustHaveConditions(t, s.Client, s.TimeoutConfig, gateway, listener, resolved)
	}
	address, err := kubernetes.WaitForGatewayAddress(t, s.Client, s.TimeoutConfig, kubernetes.NewGatewayRef(gateway))
	require.NoError(t, err)
	host, _, err := net.SplitHostPort(address)
	require.NoError(t, err)
	secret := func(name string) ([]byte, []byte) {
		certificate, key, err := kubernetes.GetTLSSecret(s.Client, types.NamespacedName{Name: name, Namespace: infra})
		require.NoError(t, err)
		return certificate, key
	}
	server, _ := secret("tls-validity-checks-certificate")
	known, knownKey := secret("tls-validity-checks-client-certificate")
	stranger, strangerKey := secret("tls-validity-checks-per-port-client-certificate")
	expected := http.ExpectedResponse{
		Request:   http.Request{Host: "example.org", Path: "/"},
		Response:  http.Response{StatusCode: 200},
		Backend:   suite.InfraBackendServiceNameV1,
		Namespace: infra,
	}
	for _, port := range []string{"443", "8443"} {
		at := net.JoinHostPort(host, port)
		t.Run("a client that the bundle vouches for is let in at "+port, func(t *testing.T) {
			tls.MakeTLSRequestAndExpectEventuallyConsistentResponse(t, s.RoundTripper, s.TimeoutConfig, at, server, known, knownKey, "example.org", expected)
		})
		t.Run("a stranger is not let in at "+port, func(t *testing.T) {
			tls.MakeTLSRequestAndExpectEventuallyConsistentFailureResponse(t, s.RoundTripper, s.TimeoutConfig, at, server, stranger, strangerKey, "example.org", expected)
		})
		t.Run("nobody without a certificate is let in at "+port, func(t *testing.T) {
			tls.MakeTLSRequestAndExpectEventuallyConsistentFailureResponse(t, s.RoundTripper, s.TimeoutConfig, at, server, nil, nil, "example.org", expected)
		})
	}
}

// row is one policy that names one bundle, both of one name.
type row struct {
	*testing.T
	s    *suite.ConformanceTestSuite
	name string
}

// openRow makes the objects of a row, without the bundle.
func openRow(t *testing.T, s *suite.ConformanceTestSuite, name string) *row {
	row := &row{T: t, s: s, name: "ctb-" + name}
	row.apply("cluster-trust-bundle/policies.yaml")
	kubernetes.NamespacesMustBeReady(t, s.Client, s.TimeoutConfig, []string{infra})
	return row
}

// apply creates the objects of a manifest, which say BUNDLE for the name.
func (r *row) apply(path string) {
	applier := r.s.Applier
	applier.ManifestFS = []fs.FS{named{manifests, strings.TrimPrefix(r.name, "ctb-")}}
	applier.MustApplyWithCleanup(r.T, r.s.Client, r.s.TimeoutConfig, path, r.s.CleanupTestResources)
}

// authority is what the suite's ConfigMap of that name holds.
func (r *row) authority(name string) string {
	configMap := &corev1.ConfigMap{}
	require.NoError(r, r.s.Client.Get(r.Context(), types.NamespacedName{Name: name, Namespace: infra}, configMap))
	return configMap.Data["ca.crt"]
}

func (r *row) bundle(content string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "certificates.k8s.io/" + bundleVersion(r.T, r.s),
		"kind":       "ClusterTrustBundle",
		"metadata":   map[string]any{"name": r.name},
		"spec":       map[string]any{"trustBundle": content},
	}}
}

func (r *row) create(content string) client.Object {
	bundle := r.bundle(content)
	require.NoError(r, client.IgnoreAlreadyExists(r.s.Client.Create(r.Context(), bundle)))
	r.removeLater(bundle)
	return bundle
}

func (r *row) removeLater(bundle client.Object) {
	r.Cleanup(func() {
		if r.s.CleanupTestResources {
			require.NoError(r, client.IgnoreNotFound(r.s.Client.Delete(context.Background(), bundle)))
		}
	})
}

func (r *row) update(content string) {
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"trustBundle": content}})
	require.NoError(r, err)
	require.NoError(r, r.s.Client.Patch(r.Context(), r.bundle(content), client.RawPatch(types.MergePatchType, patch)))
}

// createMalformed makes a bundle that the API server would not take.
func (r *row) createMalformed(content string) {
	bundle := r.bundle(content)
	err := r.s.Client.Create(r.Context(), bundle)
	if err == nil {
		r.removeLater(bundle)
		return
	}
	require.True(r, apierrors.IsInvalid(err), "the bundle is refused for another reason: %v", err)
	url := os.Getenv(etcd)
	if url == "" {
		r.Skipf("the API server refuses such a bundle, and %s is not set", etcd)
	}
	r.removeLater(bundle)
	bundle.SetUID(types.UID("00000000-0000-4000-8000-" + fmt.Sprintf("%012x", len(content))))
	bundle.SetCreationTimestamp(metav1.Now())
	value, err := json.Marshal(bundle)
	require.NoError(r, err)
	put, err := json.Marshal(map[string]string{
		"key":   base64.StdEncoding.EncodeToString([]byte("/registry/clustertrustbundles/" + r.name)),
		"value": base64.StdEncoding.EncodeToString(value),
	})
	require.NoError(r, err)
	response, err := nethttp.Post(url+"/v3/kv/put", "application/json", bytes.NewReader(put))
	require.NoError(r, err)
	defer response.Body.Close()
	require.Equal(r, nethttp.StatusOK, response.StatusCode)
	read := r.bundle("")
	require.NoError(r, r.s.Client.Get(r.Context(), types.NamespacedName{Name: r.name}, read))
}

// trust makes the policy name one other object.
func (r *row) trust(ref map[string]any) {
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"validation": map[string]any{"caCertificateRefs": []any{ref}}}})
	require.NoError(r, err)
	policy := &gatewayv1.BackendTLSPolicy{ObjectMeta: metav1.ObjectMeta{Name: r.name, Namespace: infra}}
	require.NoError(r, r.s.Client.Patch(r.Context(), policy, client.RawPatch(types.MergePatchType, patch)))
}

var sameNamespace = types.NamespacedName{Name: "same-namespace", Namespace: infra}

func (r *row) mustHave(kind gatewayv1.PolicyConditionType, status metav1.ConditionStatus, reason gatewayv1.PolicyConditionReason) {
	policy := types.NamespacedName{Name: r.name, Namespace: infra}
	condition := metav1.Condition{Type: string(kind), Status: status, Reason: string(reason)}
	kubernetes.BackendTLSPolicyMustHaveCondition(r.T, r.s.Client, r.s.TimeoutConfig, policy, sameNamespace, condition)
}

func (r *row) mustBeResolved() {
	r.mustHave(gatewayv1.BackendTLSPolicyConditionResolvedRefs, metav1.ConditionTrue, gatewayv1.BackendTLSPolicyReasonResolvedRefs)
	r.mustHave(gatewayv1.PolicyConditionAccepted, metav1.ConditionTrue, gatewayv1.PolicyReasonAccepted)
}

func (r *row) mustBeInvalid(reason gatewayv1.PolicyConditionReason) {
	r.mustHave(gatewayv1.BackendTLSPolicyConditionResolvedRefs, metav1.ConditionFalse, reason)
	r.mustHave(gatewayv1.PolicyConditionAccepted, metav1.ConditionFalse, gatewayv1.BackendTLSPolicyReasonNoValidCACertificate)
}

func (r *row) mustAnswer(statuses ...int) {
	route := types.NamespacedName{Name: r.name, Namespace: infra}
	address := kubernetes.GatewayAndRoutesMustBeAccepted(r.T, r.s.Client, r.s.TimeoutConfig, r.s.ControllerName,
		kubernetes.NewGatewayRef(sameNamespace), &gatewayv1.HTTPRoute{}, false, route)
	http.MakeRequestAndExpectEventuallyConsistentResponse(r.T, r.s.RoundTripper, r.s.TimeoutConfig, address, http.ExpectedResponse{
		Namespace: infra,
		Request:   http.Request{Host: "abc.example.com", Path: "/" + r.name},
		Response:  http.Response{StatusCodes: statuses},
	})
}

// bundleVersion is the newest version in which the cluster has ClusterTrustBundles, or nothing.
func bundleVersion(t *testing.T, s *suite.ConformanceTestSuite) string {
	for _, version := range []string{"v1", "v1beta1"} {
		list, err := s.Clientset.Discovery().ServerResourcesForGroupVersion("certificates.k8s.io/" + version)
		if apierrors.IsNotFound(err) {
			continue
		}
		require.NoError(t, err)
		for _, resource := range list.APIResources {
			if resource.Name == "clustertrustbundles" {
				return version
			}
		}
	}
	return ""
}
