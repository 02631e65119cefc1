package registration

import (
	"net/netip"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

var address = netip.MustParseAddr("10.0.0.1")

func TestRegister(t *testing.T) {
	client := fake.NewClientset()
	earlier := time.Now().Add(-time.Hour)
	// The second run meets the node of the first.
	for _, at := range []time.Time{earlier, time.Now()} {
		Register(t.Context(), client, Node("node", address, at))
		node, err := client.CoreV1().Nodes().Get(t.Context(), "node", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		ready := node.Status.Conditions[0]
		if ready.Type != corev1.NodeReady || ready.Status != corev1.ConditionTrue || !ready.LastHeartbeatTime.Time.Equal(at) {
			t.Errorf("at %v: got %+v", at, ready)
		}
		if node.Status.Addresses[0].Address != "10.0.0.1" || node.Status.DaemonEndpoints.KubeletEndpoint.Port != 10250 {
			t.Errorf("got %+v", node.Status)
		}
	}
}

func TestRenew(t *testing.T) {
	client := fake.NewClientset()
	var last time.Time
	for range 2 {
		if err := renew(t.Context(), client, "node"); err != nil {
			t.Fatal(err)
		}
		lease, err := client.CoordinationV1().Leases(leaseNamespace).Get(t.Context(), "node", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if !lease.Spec.RenewTime.After(last) {
			t.Errorf("renewed at %v, before that at %v", lease.Spec.RenewTime, last)
		}
		last = lease.Spec.RenewTime.Time
	}
}
