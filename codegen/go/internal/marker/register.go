// Package marker knows the markers that Go API types may carry.
package marker

import "sigs.k8s.io/controller-tools/pkg/markers"

// Register adds those markers that controller-tools does not know, but that decide how a type is described.
func Register(into *markers.Registry) error {
	for _, name := range []string{"genclient:nonNamespaced", "enum"} {
		if err := into.Define(name, markers.DescribesType, struct{}{}); err != nil {
			return err
		}
	}
	return nil
}
