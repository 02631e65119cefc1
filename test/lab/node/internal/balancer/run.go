package balancer

import (
	"context"
	"fmt"
	"log"
	"net/netip"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"gatewright.dev/lab/node/internal/addresses"
)

// How long the address of a deleted Service rests, so that nobody's open connection meets another Service.
const rest = time.Minute

type event struct {
	service *corev1.Service
	gone    bool
}

// Run assigns addresses until the context ends.
func Run(ctx context.Context, client kubernetes.Interface, services cache.SharedIndexInformer, pool *addresses.Pool) error {
	assigner := NewAssigner(pool)
	events := make(chan event, 1024)
	send := func(object any, gone bool) {
		if unknown, ok := object.(cache.DeletedFinalStateUnknown); ok {
			object = unknown.Obj
		}
		if service, ok := object.(*corev1.Service); ok {
			events <- event{service, gone}
		}
	}
	if _, err := services.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { send(object, false) },
		UpdateFunc: func(_, object any) { send(object, false) },
		DeleteFunc: func(object any) { send(object, true) },
	}); err != nil {
		return err
	}
	for {
		var next event
		select {
		case <-ctx.Done():
			return nil
		case next = <-events:
		}
		if next.gone || next.service.Spec.Type != corev1.ServiceTypeLoadBalancer {
			if address, had := assigner.Release(next.service.UID); had {
				time.AfterFunc(rest, func() { pool.Put(address) })
			}
			continue
		}
		address, write := assigner.Assign(next.service)
		if !write {
			continue
		}
		if err := publish(ctx, client, next.service, address); err != nil {
			if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
				continue // It is gone; the event that says so is on its way.
			}
			log.Printf("address of Service %s/%s: %v", next.service.Namespace, next.service.Name, err)
			time.AfterFunc(time.Second, func() { events <- next })
		}
	}
}

func publish(ctx context.Context, client kubernetes.Interface, service *corev1.Service, address netip.Addr) error {
	patch := fmt.Appendf(nil, `{"metadata":{"uid":%q},"status":{"loadBalancer":{"ingress":[{"ip":%q,"ipMode":"VIP"}]}}}`,
		service.UID, address)
	_, err := client.CoreV1().Services(service.Namespace).
		Patch(ctx, service.Name, types.MergePatchType, patch, metav1.PatchOptions{}, "status")
	return err
}
