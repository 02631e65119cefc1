package pods

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"gatewright.dev/lab/node/internal/podstatus"
)

func TestNextDelay(t *testing.T) {
	for _, c := range []struct{ delay, ran, want time.Duration }{
		{time.Second, 0, 2 * time.Second},
		{8 * time.Second, time.Second, 10 * time.Second},
		{10 * time.Second, 0, 10 * time.Second},
		{10 * time.Second, time.Minute, time.Second},
	} {
		if got := nextDelay(c.delay, c.ran); got != c.want {
			t.Errorf("%+v: got %v", c, got)
		}
	}
}

func TestAgain(t *testing.T) {
	const always, onFailure, never = corev1.RestartPolicyAlways, corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever
	for _, c := range []struct {
		policy    corev1.RestartPolicy
		kind      podstatus.Kind
		succeeded bool
		want      bool
	}{
		{always, podstatus.Regular, true, true},
		{always, podstatus.Regular, false, true},
		{onFailure, podstatus.Regular, true, false},
		{onFailure, podstatus.Regular, false, true},
		{never, podstatus.Regular, false, false},
		{never, podstatus.Sidecar, true, true},
	} {
		if got := again(c.policy, c.kind, c.succeeded); got != c.want {
			t.Errorf("%+v: got %v", c, got)
		}
	}
}

func TestGraceOf(t *testing.T) {
	own, deleters := int64(60), int64(5)
	pod := &corev1.Pod{}
	if got := graceOf(pod, 0); got != 30*time.Second {
		t.Errorf("as the API has it: %v", got)
	}
	pod.Spec.TerminationGracePeriodSeconds = &own
	if got := graceOf(pod, 0); got != time.Minute {
		t.Errorf("its own: %v", got)
	}
	if got := graceOf(pod, 3*time.Second); got != 3*time.Second {
		t.Errorf("bounded: %v", got)
	}
	pod.DeletionGracePeriodSeconds = &deleters
	if got := graceOf(pod, time.Minute); got != 5*time.Second {
		t.Errorf("as the deletion has it: %v", got)
	}
}
