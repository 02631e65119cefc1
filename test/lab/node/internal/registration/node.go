// Package registration makes this process a node of the cluster.
package registration

import (
	"context"
	"log"
	"net/netip"
	"runtime"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"gatewright.dev/lab/node/internal/kubelet"
)

const (
	leaseSeconds   = 40
	renewEvery     = 10 * time.Second
	retryEvery     = 300 * time.Millisecond
	leaseNamespace = "kube-node-lease"
)

// Node returns the object for this node: ready, and with more room than anybody needs, since nothing is limited here.
func Node(name string, address netip.Addr, now time.Time) *corev1.Node {
	room := corev1.ResourceList{
		"cpu": resource.MustParse("64"), "memory": resource.MustParse("64Gi"),
		"pods": resource.MustParse("500"), "ephemeral-storage": resource.MustParse("100Gi"),
	}
	at := metav1.NewTime(now)
	condition := func(kind corev1.NodeConditionType, status corev1.ConditionStatus, reason string) corev1.NodeCondition {
		return corev1.NodeCondition{Type: kind, Status: status, Reason: reason, LastHeartbeatTime: at, LastTransitionTime: at}
	}
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
			corev1.LabelHostname: name, corev1.LabelOSStable: "linux", corev1.LabelArchStable: runtime.GOARCH,
		}},
		Status: corev1.NodeStatus{
			Capacity: room, Allocatable: room,
			Addresses: []corev1.NodeAddress{
				{Type: corev1.NodeInternalIP, Address: address.String()}, {Type: corev1.NodeHostName, Address: name},
			},
			DaemonEndpoints: corev1.NodeDaemonEndpoints{KubeletEndpoint: corev1.DaemonEndpoint{Port: kubelet.Port}},
			// Whoever looks shall see that these are no containers.
			NodeInfo: corev1.NodeSystemInfo{
				KubeletVersion: "v1.37.2-lab", OperatingSystem: "linux", Architecture: runtime.GOARCH, ContainerRuntimeVersion: "process://1",
			},
			Conditions: []corev1.NodeCondition{
				condition(corev1.NodeReady, corev1.ConditionTrue, "KubeletReady"),
				condition(corev1.NodeMemoryPressure, corev1.ConditionFalse, "KubeletHasSufficientMemory"),
				condition(corev1.NodeDiskPressure, corev1.ConditionFalse, "KubeletHasNoDiskPressure"),
				condition(corev1.NodePIDPressure, corev1.ConditionFalse, "KubeletHasSufficientPID"),
			},
		},
	}
}

// Register creates the node, or takes over the one of an earlier run. It tries until it has succeeded.
func Register(ctx context.Context, client kubernetes.Interface, node *corev1.Node) {
	for {
		err := register(ctx, client, node)
		if err == nil || ctx.Err() != nil {
			return
		}
		log.Printf("registering the node: %v", err)
		time.Sleep(retryEvery)
	}
}

func register(ctx context.Context, client kubernetes.Interface, node *corev1.Node) error {
	known, err := client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		known, err = client.CoreV1().Nodes().Get(ctx, node.Name, metav1.GetOptions{})
	}
	if err != nil {
		return err
	}
	known.Status = node.Status
	_, err = client.CoreV1().Nodes().UpdateStatus(ctx, known, metav1.UpdateOptions{})
	return err
}

// Heartbeat renews the node's Lease until the context ends.
func Heartbeat(ctx context.Context, client kubernetes.Interface, name string) {
	for {
		delay := renewEvery
		if err := renew(ctx, client, name); err != nil {
			// The Lease's namespace does not exist for the first second.
			delay = retryEvery
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(delay):
		}
	}
}

func renew(ctx context.Context, client kubernetes.Interface, name string) error {
	leases := client.CoordinationV1().Leases(leaseNamespace)
	now, duration := metav1.NewMicroTime(time.Now()), int32(leaseSeconds)
	lease, err := leases.Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		_, err = leases.Create(ctx, &coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec:       coordinationv1.LeaseSpec{HolderIdentity: &name, LeaseDurationSeconds: &duration, RenewTime: &now},
		}, metav1.CreateOptions{})
		return err
	}
	if err != nil {
		return err
	}
	lease.Spec.RenewTime = &now
	_, err = leases.Update(ctx, lease, metav1.UpdateOptions{})
	return err
}
