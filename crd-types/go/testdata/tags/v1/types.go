// Package v1 has tags of the Gateway API that do nothing.
//
// +groupName=tags.example.com
package v1

// Thing has fields with tags.
type Thing struct {
	// A is fine.
	//
	// <gateway:experimental>
	// <gateway:standard:validation:MaxItems=3>
	A []string `json:"a"`

	// B is misspelled.
	//
	// <gateway:experimantal>
	B string `json:"b"`

	// C is of no channel <gateway:beta:validation:MaxItems=3>.
	C []string `json:"c"`

	// D does not stand alone <gateway:experimental>.
	D []string `json:"d"`
}
