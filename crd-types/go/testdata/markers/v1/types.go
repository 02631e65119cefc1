// Package v1 has one marker without effect of each sort.
//
// +groupName=markers.example.com
// +kubebuilder:validation:MinLength=1
package v1

// Thing has misplaced markers.
type Thing struct {
	// A has a misspelled marker.
	// +kubebuilder:validation:MaxItem=3
	A []string `json:"a"`

	// B has a marker of types.
	// +kubebuilder:printcolumn:name="B",type=string,JSONPath=`.b`
	B string `json:"b"`

	C string `json:"c"` // +optional

	// + optional
	D string `json:"d"`

	// E has a value that is no number.
	// +kubebuilder:validation:MaxLength=many
	E string `json:"e"`

	// +optional
}

// Make is a function.
//
// +kubebuilder:object:root=true
func Make() Thing {
	// +anything
	return Thing{}
}
