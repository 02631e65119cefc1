package model

import (
	"encoding/json"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
	"sigs.k8s.io/controller-tools/pkg/markers"
)

type groupVersion = schema.GroupVersion

const metaPackage = "k8s.io/apimachinery/pkg/apis/meta/v1"

// structOf describes the fields of a struct that is declared in the module origin, as seen from the module m.
func (b *builder) structOf(m, origin *module, info *markers.TypeInfo) *Struct {
	out := &Struct{
		Open:    info.Markers.Get("kubebuilder:pruning:PreserveUnknownFields") != nil,
		Extends: []Ref{},
		Fields:  []Field{},
	}
	for _, field := range info.Fields {
		name, options := jsonTag(field.Tag)
		fieldType := origin.pkg.TypesInfo.TypeOf(field.RawField.Type)
		if name == "-" || (field.Name != "" && !token.IsExported(field.Name)) {
			continue
		}
		if field.Name == "" && (name == "" || options["inline"]) {
			if isMeta(fieldType, "TypeMeta") && m.Package != metaPackage {
				out.APIVersion, out.Kind = m.group.String(), info.Name
				continue
			}
			out.Extends = append(out.Extends, b.ref(origin, field.RawField.Pos(), deref(fieldType)))
			continue
		}
		if name == "" {
			b.problem(origin.pkg, field.RawField.Pos(), "field %s of %s has no JSON tag", field.Name, info.Name)
			continue
		}
		out.Fields = append(out.Fields, b.field(origin, info, field, name, options, fieldType))
	}
	return out
}

func (b *builder) field(m *module, owner *markers.TypeInfo, field markers.FieldInfo, name string, options map[string]bool, fieldType types.Type) Field {
	out := Field{
		Name:         name,
		Doc:          plainDoc(field.Doc),
		Type:         b.ref(m, field.RawField.Pos(), fieldType),
		Optional:     isOptional(field, options),
		Experimental: strings.Contains(field.Doc, "<gateway:experimental>"),
		Default:      defaultOf(field),
	}
	// The metadata of a kind is written omitempty in Go, but there is no object without it.
	if name == "metadata" && isMeta(fieldType, "ObjectMeta") && field.Name == "" {
		out.Optional = false
	}
	for _, value := range field.Markers["listMapKey"] {
		if key, ok := value.(crdmarkers.ListMapKey); ok {
			out.ListMapKeys = append(out.ListMapKeys, string(key))
		}
	}
	if b.open {
		if ref := markedRef(field.Markers); ref != nil {
			out.Type = *ref
		}
		out.Nullable = field.Markers.Get("nullable") != nil
	}
	if values := fieldEnum(field); values != nil {
		b.narrow(m, &out.Type, values)
	}
	return out
}

// isOptional follows the order of controller-tools: a marker first, the JSON tag last.
func isOptional(field markers.FieldInfo, options map[string]bool) bool {
	switch {
	case field.Markers.Get("kubebuilder:validation:Optional") != nil:
		return true
	case field.Markers.Get("kubebuilder:validation:Required") != nil:
		return false
	case field.Markers.Get("optional") != nil, field.Markers.Get("k8s:optional") != nil:
		return true
	case field.Markers.Get("required") != nil, field.Markers.Get("k8s:required") != nil:
		return false
	}
	return options["omitempty"] || options["omitzero"]
}

func defaultOf(field markers.FieldInfo) json.RawMessage {
	var value any
	switch marker := field.Markers.Get("kubebuilder:default").(type) {
	case crdmarkers.Default:
		value = marker.Value
	default:
		kubernetes, ok := field.Markers.Get("default").(crdmarkers.KubernetesDefault)
		if !ok {
			return nil
		}
		value = kubernetes.Value
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		return nil
	}
	return encoded
}

func jsonTag(tag reflect.StructTag) (string, map[string]bool) {
	parts := strings.Split(tag.Get("json"), ",")
	options := map[string]bool{}
	for _, option := range parts[1:] {
		options[option] = true
	}
	return parts[0], options
}

func isMeta(t types.Type, name string) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Name() == name && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == metaPackage
}

func deref(t types.Type) types.Type {
	if pointer, ok := t.(*types.Pointer); ok {
		return pointer.Elem()
	}
	return t
}

func isStructLiteral(info *markers.TypeInfo) bool {
	_, ok := info.RawSpec.Type.(*ast.StructType)
	return ok
}
