package podstatus

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func running(ready bool) Container {
	return Container{Name: "web", Running: true, Started: true, Ready: ready, ID: "process://7", StartedAt: now}
}

func ended(code int32) Container {
	return Container{Name: "web", Ended: &corev1.ContainerStateTerminated{ExitCode: code}}
}

func waiting(reason string) Container {
	return Container{Name: "web", Waiting: &corev1.ContainerStateWaiting{Reason: reason}}
}

func as(kind Kind, container Container) Container {
	container.Kind = kind
	return container
}

func TestPhaseAndReady(t *testing.T) {
	const always, never = corev1.RestartPolicyAlways, corev1.RestartPolicyNever
	cases := map[string]struct {
		policy     corev1.RestartPolicy
		pod        Pod
		phase      corev1.PodPhase
		podIsReady bool
	}{
		"waits for a volume":     {always, Pod{Containers: []Container{waiting("ContainerCreating")}}, corev1.PodPending, false},
		"initializing":           {always, Pod{Containers: []Container{as(Init, running(false)), waiting("PodInitializing")}}, corev1.PodPending, false},
		"running":                {always, Pod{Initialized: true, Containers: []Container{running(false)}}, corev1.PodRunning, false},
		"ready":                  {always, Pod{Initialized: true, Containers: []Container{as(Init, ended(0)), running(true)}}, corev1.PodRunning, true},
		"one of two ready":       {always, Pod{Initialized: true, Containers: []Container{running(true), running(false)}}, corev1.PodRunning, false},
		"a sidecar is not ready": {always, Pod{Initialized: true, Containers: []Container{as(Sidecar, running(false)), running(true)}}, corev1.PodRunning, false},
		"crashing":               {always, Pod{Initialized: true, Containers: []Container{{Waiting: &corev1.ContainerStateWaiting{}, Ended: &corev1.ContainerStateTerminated{}}}}, corev1.PodRunning, false},
		"between two runs":       {always, Pod{Initialized: true, Containers: []Container{ended(1)}}, corev1.PodRunning, false},
		"done":                   {never, Pod{Initialized: true, Containers: []Container{as(Sidecar, running(true)), ended(0)}}, corev1.PodSucceeded, false},
		"failed":                 {never, Pod{Initialized: true, Containers: []Container{ended(0), ended(1)}}, corev1.PodFailed, false},
		"one still runs":         {never, Pod{Initialized: true, Containers: []Container{ended(1), running(true)}}, corev1.PodRunning, false},
		"not begun":              {never, Pod{Initialized: true, Containers: []Container{{Name: "web"}}}, corev1.PodPending, false},
		"init failed":            {never, Pod{InitFailed: true, Containers: []Container{as(Init, ended(1)), waiting("PodInitializing")}}, corev1.PodFailed, false},
	}
	for name, c := range cases {
		status := Of(&corev1.Pod{Spec: corev1.PodSpec{RestartPolicy: c.policy}}, c.pod, now)
		if status.Phase != c.phase {
			t.Errorf("%s: phase %s, want %s", name, status.Phase, c.phase)
		}
		if got := value(status, corev1.PodReady) == corev1.ConditionTrue; got != c.podIsReady {
			t.Errorf("%s: ready %v, want %v", name, got, c.podIsReady)
		}
	}
}

func value(status corev1.PodStatus, kind corev1.PodConditionType) corev1.ConditionStatus {
	for _, condition := range status.Conditions {
		if condition.Type == kind {
			return condition.Status
		}
	}
	return ""
}

func TestContainerStates(t *testing.T) {
	crashing := waiting("CrashLoopBackOff")
	crashing.Ended, crashing.Restarts = &corev1.ContainerStateTerminated{ExitCode: 3}, 2
	again := running(true)
	again.Ended, again.Restarts = &corev1.ContainerStateTerminated{ExitCode: 3}, 1
	status := Of(&corev1.Pod{}, Pod{Containers: []Container{as(Init, ended(0)), as(Init, ended(1)), crashing, again}}, now)

	if init := status.InitContainerStatuses; len(init) != 2 || !init[0].Ready || init[1].Ready || init[0].State.Terminated == nil {
		t.Errorf("init containers %+v", init)
	}
	if len(status.ContainerStatuses) != 2 {
		t.Fatalf("containers %+v", status.ContainerStatuses)
	}
	one, two := status.ContainerStatuses[0], status.ContainerStatuses[1]
	if one.State.Waiting == nil || one.State.Waiting.Reason != "CrashLoopBackOff" || one.LastTerminationState.Terminated.ExitCode != 3 || *one.Started {
		t.Errorf("crashing: %+v", one)
	}
	if two.State.Running == nil || two.LastTerminationState.Terminated.ExitCode != 3 || two.ContainerID != "process://7" || !*two.Started {
		t.Errorf("running again: %+v", two)
	}
}

func TestTimesOfConditionsAreKept(t *testing.T) {
	earlier := metav1.NewTime(now.Add(-time.Hour))
	object := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Generation: 4}, Status: corev1.PodStatus{Conditions: []corev1.PodCondition{
		{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: earlier},
		{Type: corev1.ContainersReady, Status: corev1.ConditionFalse, LastTransitionTime: earlier},
	}}}
	status := Of(object, Pod{Containers: []Container{running(true)}}, now)
	for _, condition := range status.Conditions {
		want := now
		if condition.Type == corev1.PodReady {
			want = earlier.Time
		}
		if !condition.LastTransitionTime.Time.Equal(want) {
			t.Errorf("%s changed at %v, want %v", condition.Type, condition.LastTransitionTime, want)
		}
		if condition.ObservedGeneration != 4 {
			t.Errorf("%s is of generation %d", condition.Type, condition.ObservedGeneration)
		}
	}
}

func TestReadinessGates(t *testing.T) {
	object := &corev1.Pod{Spec: corev1.PodSpec{ReadinessGates: []corev1.PodReadinessGate{{ConditionType: "example.com/gate"}}}}
	pod := Pod{Containers: []Container{running(true)}}
	status := Of(object, pod, now)
	if value(status, corev1.PodReady) != corev1.ConditionFalse || value(status, corev1.ContainersReady) != corev1.ConditionTrue {
		t.Errorf("a closed gate: %+v", status.Conditions)
	}
	object.Status.Conditions = []corev1.PodCondition{{Type: "example.com/gate", Status: corev1.ConditionTrue}}
	if status = Of(object, pod, now); value(status, corev1.PodReady) != corev1.ConditionTrue {
		t.Errorf("an open gate: %+v", status.Conditions)
	}
}
