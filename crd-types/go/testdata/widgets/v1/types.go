// Package v1 holds a kind with one field of each sort, for the tests of codegen.
//
// +groupName=widgets.example.com
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Widget is hostile: */ globalThis.pwned = true; /* and `${globalThis}`.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=wg
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec WidgetSpec `json:"spec"`
	// +optional
	Status WidgetStatus `json:"status,omitempty"`
}

// +kubebuilder:object:root=true

// WidgetList is a list of Widgets.
type WidgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Widget `json:"items"`
}

// WidgetSpec has one field of each sort.
type WidgetSpec struct {
	Common `json:",inline"`

	// Color is one of a few.
	//
	// Deprecated: there is more than color.
	// +optional
	// +kubebuilder:default=red
	Color *Color `json:"color,omitempty"`

	// Port is a number or a name.
	Port intstr.IntOrString `json:"port"`

	// Size may be written as a number.
	// +required
	Size resource.Quantity `json:"size,omitempty"`

	// Code is one of a few numbers.
	// +kubebuilder:validation:Enum=301;302
	Code int32 `json:"code"`

	// Parts are kept by name.
	// +optional
	// +listType=map
	// +listMapKey=name
	Parts []Part `json:"parts"`

	Data   map[string][]byte    `json:"data,omitempty"`
	Labels map[string]string    `json:"labels,omitempty"`
	Extra  runtime.RawExtension `json:"extra,omitempty"`
	Since  *metav1.Time         `json:"since,omitzero"`
	Dashed string               `json:"x-dashed,omitempty"`
}

// Common is shared.
type Common struct {
	// Name is anything.
	// +kubebuilder:validation:MinLength=1
	Name Name `json:"name"`
}

// Name is a string.
type Name string

// Color is one of a few.
// +kubebuilder:validation:Enum=red;green
type Color string

const (
	// ColorRed is like blood.
	ColorRed   Color = "red"
	ColorGreen Color = "green" // like grass
)

// Part is open to other fields.
//
// +kubebuilder:pruning:PreserveUnknownFields
type Part struct {
	Name string `json:"name"`
}

// WidgetStatus is what became of a Widget.
type WidgetStatus struct {
	// Reason says why.
	Reason Reason `json:"reason,omitempty"`
}

// Reason has well-known values among others.
type Reason string

// ReasonFine says that all is well.
const ReasonFine Reason = "Fine"

// MaxParts is a number without a type.
const MaxParts = 16
