// Package v1 has what API packages of others have, and our own do not.
//
// +groupName=anywhere.example.com
package v1

import (
	"encoding/json"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Patience is made of what API types do not import.
const Patience = 3 * time.Second

// Helper is Go's own affair: no kind leads to it.
type Helper struct {
	Secret string
	Wake   chan struct{}
}

// State is one of some; the schema takes no other.
// +kubebuilder:validation:Enum=ready;failed
type State string

const (
	// Unknown is not in the schema.
	Unknown State = ""
	Ready   State = "ready"
	Failed  State = "failed"
)

// Percent is written as text, whatever it holds.
// +kubebuilder:validation:Type=string
type Percent struct {
	Value float64 `json:"-"`
}

// MarshalJSON writes a percentage.
func (p Percent) MarshalJSON() ([]byte, error) { return json.Marshal(p.Value) }

// Thing is a kind.
type Thing struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ThingSpec `json:"spec"`
}

// ThingSpec has fields that are easily read wrongly.
type ThingSpec struct {
	State State `json:"state"`
	// +optional
	Size resource.Quantity `json:"size,omitempty"`
	// +nullable
	Note *string `json:"note"`
	Fill Percent `json:"fill"`
	// Lists of other packages.
	// +optional
	Modes []corev1.PersistentVolumeAccessMode `json:"modes,omitempty"`
	// +optional
	VolumeMode *corev1.PersistentVolumeMode `json:"volumeMode,omitempty"`
	// +optional
	Selector *metav1.LabelSelector `json:"selector,omitempty"`
	// +optional
	Timeout *metav1.Duration `json:"timeout,omitempty"`
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	// +optional
	Free map[string]string `json:"free,omitempty"`
}

// ThingList holds things.
type ThingList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Thing `json:"items"`
}
