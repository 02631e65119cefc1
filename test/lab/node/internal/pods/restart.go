package pods

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"gatewright.dev/lab/node/internal/container"
	"gatewright.dev/lab/node/internal/podstatus"
)

// Shorter than a kubelet's 10 s to 5 min: tests wait for this.
const (
	firstDelay = time.Second
	lastDelay  = 10 * time.Second
	// Whoever ran this long is not crashing.
	longRun = 30 * time.Second
)

// nextDelay is the pause after the next run, if this one took so long.
func nextDelay(delay, ran time.Duration) time.Duration {
	if ran > longRun {
		return firstDelay
	}
	return min(2*delay, lastDelay)
}

// again says whether a container that has ended is to be run again.
func again(policy corev1.RestartPolicy, kind podstatus.Kind, succeeded bool) bool {
	switch {
	case kind == podstatus.Sidecar:
		return true
	case policy == corev1.RestartPolicyNever:
		return false
	case policy == corev1.RestartPolicyOnFailure:
		return !succeeded
	}
	return true
}

// graceOf is how long a pod may take to end.
func graceOf(pod *corev1.Pod, most time.Duration) time.Duration {
	seconds := int64(corev1.DefaultTerminationGracePeriodSeconds)
	if pod.Spec.TerminationGracePeriodSeconds != nil {
		seconds = *pod.Spec.TerminationGracePeriodSeconds
	}
	// Whoever deletes it may say otherwise.
	if pod.DeletionGracePeriodSeconds != nil {
		seconds = *pod.DeletionGracePeriodSeconds
	}
	grace := time.Duration(seconds) * time.Second
	if most > 0 {
		grace = min(grace, most)
	}
	return grace
}

func processID(process *container.Process) string { return fmt.Sprintf("process://%d", process.PID) }
