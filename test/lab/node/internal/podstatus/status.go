// Package podstatus says in the words of the API how a pod is.
package podstatus

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Kind is what a container is to its pod.
type Kind int

// Kinds of containers. A sidecar is an init container that keeps running.
const (
	Regular Kind = iota
	Init
	Sidecar
)

// Container is what is known of a container.
type Container struct {
	Name, Image string
	Kind        Kind
	// ID names the process while it runs.
	ID        string
	Running   bool
	StartedAt time.Time
	// Started: its startup probe has succeeded, or there is none.
	Started  bool
	Ready    bool
	Restarts int32
	// Ended is how it ended last.
	Ended *corev1.ContainerStateTerminated
	// Waiting is why it does not run, if it is to run.
	Waiting *corev1.ContainerStateWaiting
}

// Pod is what is known of a pod.
type Pod struct {
	PodIP, HostIP string
	StartedAt     time.Time
	// Initialized: all init containers have done their work.
	Initialized bool
	// InitFailed: one of them has failed for good.
	InitFailed bool
	Containers []Container
}

// Of returns the status of a pod. `object` is the newest that is known of it, from which the times of conditions are kept.
func Of(object *corev1.Pod, pod Pod, now time.Time) corev1.PodStatus {
	started := metav1.NewTime(pod.StartedAt)
	status := corev1.PodStatus{
		ObservedGeneration: object.Generation,
		HostIP:             pod.HostIP,
		HostIPs:            []corev1.HostIP{{IP: pod.HostIP}},
		StartTime:          &started,
		QOSClass:           object.Status.QOSClass,
		Phase:              phase(object.Spec.RestartPolicy, pod),
	}
	if pod.PodIP != "" {
		status.PodIP, status.PodIPs = pod.PodIP, []corev1.PodIP{{IP: pod.PodIP}}
	}
	ready := true
	for _, container := range pod.Containers {
		one := containerStatus(container)
		if container.Kind == Regular {
			status.ContainerStatuses = append(status.ContainerStatuses, one)
		} else {
			status.InitContainerStatuses = append(status.InitContainerStatuses, one)
		}
		if container.Kind != Init && !container.Ready {
			ready = false
		}
	}
	set := func(kind corev1.PodConditionType, value bool) {
		status.Conditions = append(status.Conditions, condition(object, kind, value, now))
	}
	set(corev1.PodScheduled, true)
	set(corev1.PodReadyToStartContainers, pod.PodIP != "")
	set(corev1.PodInitialized, pod.Initialized)
	set(corev1.ContainersReady, ready)
	set(corev1.PodReady, ready && gatesOpen(object))
	return status
}

func containerStatus(container Container) corev1.ContainerStatus {
	started := container.Running && container.Started
	status := corev1.ContainerStatus{
		Name: container.Name, Image: container.Image, ImageID: "process://" + container.Image,
		Ready: container.Ready, Started: &started, RestartCount: container.Restarts,
	}
	if container.Restarts > 0 && container.Ended != nil {
		status.LastTerminationState.Terminated = container.Ended
	}
	switch {
	case container.Running:
		status.ContainerID = container.ID
		status.State.Running = &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(container.StartedAt)}
	case container.Waiting != nil:
		status.State.Waiting = container.Waiting
		status.LastTerminationState.Terminated = container.Ended
	case container.Ended != nil:
		status.State.Terminated = container.Ended
		status.LastTerminationState.Terminated = nil
		status.Ready = container.Kind == Init && container.Ended.ExitCode == 0
	}
	return status
}

func phase(policy corev1.RestartPolicy, pod Pod) corev1.PodPhase {
	if pod.InitFailed {
		return corev1.PodFailed
	}
	allEnded, anyStarted, anyFailed := true, false, false
	for _, container := range pod.Containers {
		if container.Kind != Regular {
			continue
		}
		if container.Running || container.Waiting != nil || container.Ended == nil {
			allEnded = false
		}
		if container.Running || container.Ended != nil {
			anyStarted = true
		}
		if container.Ended != nil && container.Ended.ExitCode != 0 {
			anyFailed = true
		}
	}
	switch {
	case pod.Initialized && allEnded && policy != corev1.RestartPolicyAlways && anyFailed:
		return corev1.PodFailed
	case pod.Initialized && allEnded && policy != corev1.RestartPolicyAlways:
		return corev1.PodSucceeded
	case anyStarted:
		return corev1.PodRunning
	}
	return corev1.PodPending
}

func condition(object *corev1.Pod, kind corev1.PodConditionType, value bool, now time.Time) corev1.PodCondition {
	status := corev1.ConditionFalse
	if value {
		status = corev1.ConditionTrue
	}
	condition := corev1.PodCondition{
		Type: kind, Status: status, ObservedGeneration: object.Generation, LastTransitionTime: metav1.NewTime(now),
	}
	for _, old := range object.Status.Conditions {
		if old.Type == kind && old.Status == status {
			condition.LastTransitionTime = old.LastTransitionTime
		}
	}
	return condition
}

// gatesOpen says whether others agree that the pod is ready.
// https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-readiness-gate
func gatesOpen(object *corev1.Pod) bool {
	for _, gate := range object.Spec.ReadinessGates {
		open := false
		for _, condition := range object.Status.Conditions {
			open = open || condition.Type == gate.ConditionType && condition.Status == corev1.ConditionTrue
		}
		if !open {
			return false
		}
	}
	return true
}
