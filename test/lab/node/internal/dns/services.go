package dns

import (
	"net/netip"
	"strings"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/client-go/tools/cache"
)

const suffix = ".svc.cluster.local."

// Services looks names up among the Services of the cluster: the cluster IP, or all ready endpoints of a headless Service.
func Services(services, endpointSlices cache.Store) Lookup {
	return func(name string) ([]netip.Addr, bool) {
		rest, inCluster := strings.CutSuffix(name, suffix)
		if !inCluster {
			return nil, false
		}
		// A pod of a headless Service has one more label in front; all of the Service's addresses are a good enough answer.
		labels := strings.Split(rest, ".")
		if len(labels) < 2 {
			return nil, false
		}
		namespace, service := labels[len(labels)-1], labels[len(labels)-2]
		found, exists, _ := services.GetByKey(namespace + "/" + service)
		object, isService := found.(*corev1.Service)
		if !exists || !isService {
			return nil, false
		}
		if object.Spec.ClusterIP != corev1.ClusterIPNone && object.Spec.ClusterIP != "" {
			return parse(object.Spec.ClusterIP), true
		}
		return parse(ready(endpointSlices, namespace, service)...), true
	}
}

func ready(slices cache.Store, namespace, service string) []string {
	var addresses []string
	for _, object := range slices.List() {
		slice, ok := object.(*discoveryv1.EndpointSlice)
		if !ok || slice.Namespace != namespace || slice.Labels[discoveryv1.LabelServiceName] != service {
			continue
		}
		for _, endpoint := range slice.Endpoints {
			// Nobody who has not said so is unready.
			if endpoint.Conditions.Ready == nil || *endpoint.Conditions.Ready {
				addresses = append(addresses, endpoint.Addresses...)
			}
		}
	}
	return addresses
}

// parse leaves out what is no IPv4 address.
func parse(texts ...string) []netip.Addr {
	var addresses []netip.Addr
	for _, text := range texts {
		if address, err := netip.ParseAddr(text); err == nil && address.Is4() {
			addresses = append(addresses, address)
		}
	}
	return addresses
}
