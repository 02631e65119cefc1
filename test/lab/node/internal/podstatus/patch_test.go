package podstatus

import (
	"encoding/json"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

func TestPatch(t *testing.T) {
	there := corev1.Pod{Status: corev1.PodStatus{
		PodIP: "10.0.0.1", PodIPs: []corev1.PodIP{{IP: "10.0.0.1"}}, HostIPs: []corev1.HostIP{{IP: "10.9.9.9"}},
		ContainerStatuses: []corev1.ContainerStatus{{Name: "web", RestartCount: 1}},
		Conditions: []corev1.PodCondition{
			{Type: corev1.PodReady, Status: corev1.ConditionTrue}, {Type: "example.com/gate", Status: corev1.ConditionTrue},
		},
	}}
	wanted := corev1.PodStatus{
		PodIP: "10.0.0.2", PodIPs: []corev1.PodIP{{IP: "10.0.0.2"}}, HostIPs: []corev1.HostIP{{IP: "10.9.9.9"}},
		ContainerStatuses: []corev1.ContainerStatus{{Name: "web", RestartCount: 2}},
		Conditions:        []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse}},
	}
	patch, err := Patch("uid-1", wanted)
	if err != nil {
		t.Fatal(err)
	}
	before, err := json.Marshal(there)
	if err != nil {
		t.Fatal(err)
	}
	merged, err := strategicpatch.StrategicMergePatch(before, patch, corev1.Pod{})
	if err != nil {
		t.Fatal(err)
	}
	var after corev1.Pod
	if err := json.Unmarshal(merged, &after); err != nil {
		t.Fatal(err)
	}
	status := after.Status
	if after.UID != "uid-1" || len(status.PodIPs) != 1 || status.PodIPs[0].IP != "10.0.0.2" || len(status.HostIPs) != 1 {
		t.Errorf("addresses: %+v", status)
	}
	if len(status.ContainerStatuses) != 1 || status.ContainerStatuses[0].RestartCount != 2 {
		t.Errorf("containers: %+v", status.ContainerStatuses)
	}
	if value(status, corev1.PodReady) != corev1.ConditionFalse || value(status, "example.com/gate") != corev1.ConditionTrue {
		t.Errorf("conditions: %+v", status.Conditions)
	}
}
