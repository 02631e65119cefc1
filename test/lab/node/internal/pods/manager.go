// Package pods runs the pods of this node.
package pods

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"gatewright.dev/lab/node/internal/addresses"
	"gatewright.dev/lab/node/internal/kubelet"
	"gatewright.dev/lab/node/internal/podspec"
)

// Options are what all pods have in common.
type Options struct {
	Client kubernetes.Interface
	// Folder holds a folder for each pod.
	Folder string
	// ImagesFile is read whenever a container starts.
	ImagesFile string
	NodeName   string
	NodeIP     netip.Addr
	Node       podspec.Node
	Addresses  *addresses.Pool
	// MaxGrace bounds how long pods may take to end; 0: as long as they ask for.
	MaxGrace time.Duration
}

// Manager has a worker for each pod.
type Manager struct {
	options Options
	mu      sync.Mutex
	workers map[types.UID]*worker
}

// NewManager returns a manager without pods.
func NewManager(options Options) *Manager {
	return &Manager{options: options, workers: map[types.UID]*worker{}}
}

// Handler makes the manager follow the pods of an informer.
func (m *Manager) Handler() cache.ResourceEventHandler {
	handle := func(object any, gone bool) {
		if unknown, ok := object.(cache.DeletedFinalStateUnknown); ok {
			object = unknown.Obj
		}
		if pod, ok := object.(*corev1.Pod); ok {
			m.handle(pod, gone)
		}
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { handle(object, false) },
		UpdateFunc: func(_, object any) { handle(object, false) },
		DeleteFunc: func(object any) { handle(object, true) },
	}
}

func (m *Manager) handle(pod *corev1.Pod, gone bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	running, exists := m.workers[pod.UID]
	if !exists {
		finished := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
		switch {
		case gone:
		case pod.DeletionTimestamp != nil:
			// Of an earlier run of this program, or finished: nothing is left of it but the object.
			go m.remove(pod)
		case !finished:
			m.start(pod)
		}
		return
	}
	running.update(pod)
	switch {
	case gone:
		running.stopNow()
	case pod.DeletionTimestamp != nil:
		running.stop()
	}
}

func (m *Manager) start(pod *corev1.Pod) {
	started := newWorker(m.options, pod.DeepCopy())
	m.workers[pod.UID] = started
	go func() {
		started.run()
		m.remove(pod)
		m.mu.Lock()
		delete(m.workers, pod.UID)
		m.mu.Unlock()
	}()
}

// remove takes the object from the API server, where it waits for that. The server may be away for a while.
func (m *Manager) remove(pod *corev1.Pod) {
	var now int64
	options := metav1.DeleteOptions{GracePeriodSeconds: &now, Preconditions: metav1.NewUIDPreconditions(string(pod.UID))}
	for {
		err := m.options.Client.CoreV1().Pods(pod.Namespace).Delete(context.Background(), pod.Name, options)
		// A conflict: another pod has its name by now.
		if err == nil || apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
			return
		}
		time.Sleep(500 * time.Millisecond)
	}
}

// Find finds a container for the kubelet's API.
func (m *Manager) Find(namespace, pod, container string) (kubelet.Container, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, worker := range m.workers {
		if object := worker.object(); object.Namespace != namespace || object.Name != pod {
			continue
		}
		for _, member := range worker.members {
			if member.spec.Name == container {
				return kubelet.Container{LogFile: member.logFile, Process: worker.process(member)}, nil
			}
		}
	}
	return kubelet.Container{}, errors.New("there is no such container on this node")
}
