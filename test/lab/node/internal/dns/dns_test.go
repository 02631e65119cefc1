package dns

import (
	"net/netip"
	"slices"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

func query(t *testing.T, name string, kind dnsmessage.Type) []byte {
	t.Helper()
	message := dnsmessage.Message{
		Header:    dnsmessage.Header{ID: 7, RecursionDesired: true},
		Questions: []dnsmessage.Question{{Name: dnsmessage.MustNewName(name), Type: kind, Class: dnsmessage.ClassINET}},
	}
	packed, err := message.Pack()
	if err != nil {
		t.Fatal(err)
	}
	return packed
}

func ask(t *testing.T, name string, kind dnsmessage.Type, lookup Lookup) (dnsmessage.RCode, []string) {
	t.Helper()
	var answer dnsmessage.Message
	if err := answer.Unpack(Answer(query(t, name, kind), lookup)); err != nil {
		t.Fatal(err)
	}
	if answer.ID != 7 || !answer.Response {
		t.Errorf("got header %+v", answer.Header)
	}
	var addresses []string
	for _, resource := range answer.Answers {
		addresses = append(addresses, netip.AddrFrom4(resource.Body.(*dnsmessage.AResource).A).String())
	}
	return answer.RCode, addresses
}

func TestAnswer(t *testing.T) {
	lookup := func(name string) ([]netip.Addr, bool) {
		return []netip.Addr{netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("10.0.0.2")}, name == "web.shop.svc.cluster.local."
	}
	if code, got := ask(t, "Web.Shop.svc.cluster.local.", dnsmessage.TypeA, lookup); code != 0 || !slices.Equal(got, []string{"10.0.0.1", "10.0.0.2"}) {
		t.Errorf("A: got %v, %v", code, got)
	}
	if code, got := ask(t, "web.shop.svc.cluster.local.", dnsmessage.TypeAAAA, lookup); code != 0 || len(got) != 0 {
		t.Errorf("AAAA of a name that exists: got %v, %v; want no error and no addresses", code, got)
	}
	lookup = func(string) ([]netip.Addr, bool) { return nil, false }
	if code, _ := ask(t, "example.org.", dnsmessage.TypeA, lookup); code != dnsmessage.RCodeNameError {
		t.Errorf("unknown name: got %v", code)
	}
}

func TestAnswerIgnoresWhatIsNoQuery(t *testing.T) {
	lookup := func(string) ([]netip.Addr, bool) { return nil, true }
	answer := Answer(query(t, "web.", dnsmessage.TypeA), lookup)
	for name, message := range map[string][]byte{"nothing": nil, "garbage": []byte("garbage"), "an answer": answer} {
		if got := Answer(message, lookup); got != nil {
			t.Errorf("%s was answered", name)
		}
	}
}

func TestServices(t *testing.T) {
	service := func(name, clusterIP string) *corev1.Service {
		return &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name}, Spec: corev1.ServiceSpec{ClusterIP: clusterIP}}
	}
	yes, no := true, false
	slice := func(name, service string, endpoints ...discoveryv1.Endpoint) *discoveryv1.EndpointSlice {
		return &discoveryv1.EndpointSlice{
			ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, Labels: map[string]string{discoveryv1.LabelServiceName: service}},
			Endpoints:  endpoints,
		}
	}
	store := func(objects ...any) cache.Store {
		store := cache.NewStore(cache.MetaNamespaceKeyFunc)
		for _, object := range objects {
			if err := store.Add(object); err != nil {
				t.Fatal(err)
			}
		}
		return store
	}
	lookup := Services(
		store(service("web", "10.96.0.9"), service("peers", corev1.ClusterIPNone), service("outside", "")),
		store(
			slice("peers-1", "peers",
				discoveryv1.Endpoint{Addresses: []string{"10.0.0.1"}},
				discoveryv1.Endpoint{Addresses: []string{"10.0.0.2"}, Conditions: discoveryv1.EndpointConditions{Ready: &no}},
				discoveryv1.Endpoint{Addresses: []string{"10.0.0.3"}, Conditions: discoveryv1.EndpointConditions{Ready: &yes}}),
			slice("peers-v6", "peers", discoveryv1.Endpoint{Addresses: []string{"fd00::1"}}),
			slice("other", "other", discoveryv1.Endpoint{Addresses: []string{"10.0.0.9"}})))

	cases := []struct {
		name      string
		exists    bool
		addresses []string
	}{
		{"web.shop.svc.cluster.local.", true, []string{"10.96.0.9"}},
		{"peers.shop.svc.cluster.local.", true, []string{"10.0.0.1", "10.0.0.3"}},
		{"one.peers.shop.svc.cluster.local.", true, []string{"10.0.0.1", "10.0.0.3"}},
		{"outside.shop.svc.cluster.local.", true, nil},
		{"web.other.svc.cluster.local.", false, nil},
		{"shop.svc.cluster.local.", false, nil},
		{"web.shop.", false, nil},
	}
	for _, c := range cases {
		found, exists := lookup(c.name)
		var addresses []string
		for _, address := range found {
			addresses = append(addresses, address.String())
		}
		slices.Sort(addresses)
		if exists != c.exists || !slices.Equal(addresses, c.addresses) {
			t.Errorf("%s: got %v, %v", c.name, addresses, exists)
		}
	}
}
