package balancer

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"gatewright.dev/lab/node/internal/addresses"
)

func newAssigner(t *testing.T) *Assigner {
	t.Helper()
	pool, err := addresses.NewPool("10.1.0.0/24", 1)
	if err != nil {
		t.Fatal(err)
	}
	return NewAssigner(pool)
}

func balanced(uid, wanted, written string) *corev1.Service {
	service := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{UID: types.UID(uid)},
		Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, LoadBalancerIP: wanted},
	}
	if written != "" {
		service.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: written}}
	}
	return service
}

func expect(t *testing.T, assigner *Assigner, service *corev1.Service, want string) {
	t.Helper()
	address, write := assigner.Assign(service)
	if got := address.String(); !write && want != "" || write && got != want {
		t.Errorf("%s: got %s, write %v; want %q", service.UID, got, write, want)
	}
}

func TestEachServiceHasAnAddressOfItsOwn(t *testing.T) {
	assigner := newAssigner(t)
	expect(t, assigner, balanced("one", "", ""), "10.1.0.1")
	expect(t, assigner, balanced("two", "", ""), "10.1.0.2")
	expect(t, assigner, balanced("one", "", ""), "10.1.0.1")
	expect(t, assigner, balanced("one", "", "10.1.0.1"), "")
	expect(t, assigner, balanced("one", "", "10.9.9.9"), "10.1.0.1")
}

func TestAWantedAddress(t *testing.T) {
	assigner := newAssigner(t)
	expect(t, assigner, balanced("one", "10.1.0.9", ""), "10.1.0.9")
	// Two cannot have it; the second waits without an address, as with a cloud's balancer.
	expect(t, assigner, balanced("two", "10.1.0.9", ""), "")
	expect(t, assigner, balanced("three", "192.0.2.1", ""), "")
}

func TestAnAddressOfAnEarlierRunIsKept(t *testing.T) {
	assigner := newAssigner(t)
	expect(t, assigner, balanced("old", "", "10.1.0.1"), "")
	expect(t, assigner, balanced("new", "", ""), "10.1.0.2")
}

func TestWhoHasNone(t *testing.T) {
	assigner := newAssigner(t)
	plain := balanced("one", "", "")
	plain.Spec.Type = corev1.ServiceTypeClusterIP
	expect(t, assigner, plain, "")
	leaving := balanced("two", "", "")
	leaving.DeletionTimestamp = &metav1.Time{}
	expect(t, assigner, leaving, "")
}

func TestRelease(t *testing.T) {
	assigner := newAssigner(t)
	expect(t, assigner, balanced("one", "10.1.0.9", ""), "10.1.0.9")
	address, had := assigner.Release("one")
	if !had || address.String() != "10.1.0.9" {
		t.Errorf("got %s, %v", address, had)
	}
	assigner.pool.Put(address)
	expect(t, assigner, balanced("two", "10.1.0.9", ""), "10.1.0.9")
	if _, had := assigner.Release("one"); had {
		t.Error("an address was released twice")
	}
}
