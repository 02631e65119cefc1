// Package balancer gives Services of type LoadBalancer their addresses; kube-proxy does the rest.
package balancer

import (
	"net/netip"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"gatewright.dev/lab/node/internal/addresses"
)

// Assigner remembers which Service has which address.
type Assigner struct {
	pool *addresses.Pool
	has  map[types.UID]netip.Addr
}

// NewAssigner returns an assigner of the addresses of a pool.
func NewAssigner(pool *addresses.Pool) *Assigner {
	return &Assigner{pool: pool, has: map[types.UID]netip.Addr{}}
}

// Assign returns the address that is to be written to the status of a Service, and whether it must be written.
func (a *Assigner) Assign(service *corev1.Service) (netip.Addr, bool) {
	if service.Spec.Type != corev1.ServiceTypeLoadBalancer || service.DeletionTimestamp != nil {
		return netip.Addr{}, false
	}
	address, ok := a.has[service.UID]
	if !ok {
		if address, ok = a.choose(service); !ok {
			return netip.Addr{}, false
		}
		a.has[service.UID] = address
	}
	ingress := service.Status.LoadBalancer.Ingress
	return address, len(ingress) != 1 || ingress[0].IP != address.String()
}

func (a *Assigner) choose(service *corev1.Service) (netip.Addr, bool) {
	// What stands there already was given before this process started.
	for _, ingress := range service.Status.LoadBalancer.Ingress {
		if address, err := netip.ParseAddr(ingress.IP); err == nil && a.pool.Take(address) {
			return address, true
		}
	}
	if wanted := service.Spec.LoadBalancerIP; wanted != "" {
		address, err := netip.ParseAddr(wanted)
		return address, err == nil && a.pool.Take(address)
	}
	address, err := a.pool.Get()
	return address, err == nil
}

// Release gives up the address of a Service that is gone or does not want one any more, and returns it.
// Whoever calls this gives it back to the pool when clients of the old Service cannot reach the next one by it.
func (a *Assigner) Release(uid types.UID) (netip.Addr, bool) {
	address, ok := a.has[uid]
	delete(a.has, uid)
	return address, ok
}
