package podstatus

import (
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Patch returns the strategic merge patch that writes a status to the pod with this UID, and leaves alone the conditions of others.
func Patch(uid types.UID, status corev1.PodStatus) ([]byte, error) {
	text, err := json.Marshal(status)
	if err != nil {
		return nil, err
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	// Merged by address unless told otherwise: a pod that has got a new one would have both.
	for _, list := range []string{"podIPs", "hostIPs"} {
		entries, _ := fields[list].([]any)
		fields[list] = append([]any{map[string]any{"$patch": "replace"}}, entries...)
	}
	return json.Marshal(map[string]any{"metadata": map[string]any{"uid": uid}, "status": fields})
}
