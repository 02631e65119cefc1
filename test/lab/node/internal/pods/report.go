package pods

import (
	"log"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"gatewright.dev/lab/node/internal/podstatus"
)

// changed makes the pod's status be written soon.
func (w *worker) changed() {
	select {
	case w.dirty <- struct{}{}:
	default: // It is about to be written anyway.
	}
}

// report writes the status whenever it has changed, until the pod is to end: from then on nobody asks for it.
func (w *worker) report() {
	for {
		select {
		case <-w.dirty:
		case <-w.ctx.Done():
			return
		}
		err := w.writeStatus()
		// A conflict: another pod has its name by now.
		if err == nil || apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
			continue
		}
		log.Printf("%s: status: %v", w, err)
		select {
		case <-time.After(200 * time.Millisecond):
			w.changed()
		case <-w.ctx.Done():
			return
		}
	}
}

func (w *worker) writeStatus() error {
	object, status := w.status()
	patch, err := podstatus.Patch(object.UID, status)
	if err != nil {
		return err
	}
	written, err := w.options.Client.CoreV1().Pods(object.Namespace).
		Patch(w.ctx, object.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
	if err != nil {
		if w.ctx.Err() != nil {
			return nil
		}
		return err
	}
	w.mu.Lock()
	// The next status is computed from what stands there, which the informer may tell later.
	w.pod = written
	w.mu.Unlock()
	return nil
}

func (w *worker) status() (*corev1.Pod, corev1.PodStatus) {
	facts := w.facts()
	w.mu.Lock()
	defer w.mu.Unlock()
	pod := podstatus.Pod{
		PodIP: facts.PodIP, HostIP: facts.HostIP, StartedAt: w.startedAt, Initialized: w.initialized, InitFailed: w.initFailed,
	}
	for _, m := range w.members {
		pod.Containers = append(pod.Containers, m.state)
	}
	return w.pod, podstatus.Of(w.pod, pod, time.Now())
}
