// Package marker knows the markers that Go API types may carry, and finds those that would have no effect.
package marker

import (
	"encoding/json"
	"fmt"
	"go/constant"
	"go/types"

	apiext "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
	"sigs.k8s.io/controller-tools/pkg/markers"
)

// Register adds those markers that controller-tools does not know, but that decide how a type is described. Whether `+enum` binds a
// schema is for the caller to say: it does for the API server's own kinds, and does not for controller-gen.
func Register(into *markers.Registry, enumsBind bool) error {
	if err := into.Define("genclient:nonNamespaced", markers.DescribesType, struct{}{}); err != nil {
		return err
	}
	if !enumsBind {
		return into.Define("enum", markers.DescribesType, struct{}{})
	}
	return into.Define("enum", markers.DescribesType, ConstantsOnly{})
}

// ConstantsOnly is the marker `+enum` of Kubernetes: the constants of the type are all its values.
type ConstantsOnly struct{}

// ApplyToSchema binds the schema of the type to its constants.
func (ConstantsOnly) ApplyToSchema(context *crdmarkers.SchemaContext, schema *apiext.JSONSchemaProps) error {
	schema.Enum = nil
	for _, value := range Constants(context.Package.Types, context.TypeInfo.Name) {
		encoded, err := json.Marshal(constant.StringVal(value.Val()))
		if err != nil {
			return err
		}
		schema.Enum = append(schema.Enum, apiext.JSON{Raw: encoded})
	}
	if len(schema.Enum) == 0 {
		return fmt.Errorf("%s has no constants", context.TypeInfo.Name)
	}
	return nil
}

// Constants are the exported constants of a type, by name.
func Constants(pkg *types.Package, typeName string) []*types.Const {
	var found []*types.Const
	for _, name := range pkg.Scope().Names() {
		value, ok := pkg.Scope().Lookup(name).(*types.Const)
		if !ok || !value.Exported() {
			continue
		}
		named, ok := types.Unalias(value.Type()).(*types.Named)
		if ok && named.Obj().Pkg() == pkg && named.Obj().Name() == typeName {
			found = append(found, value)
		}
	}
	return found
}
