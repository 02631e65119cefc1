package model

import (
	"encoding/json"
	"go/constant"
	"go/types"
	"slices"

	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
	"sigs.k8s.io/controller-tools/pkg/markers"

	"gatewright.dev/codegen/internal/marker"
)

// enumOf describes a string or number type with known values, or returns nil for one without.
//
// The type is closed when a marker says so. Otherwise its constants are what is well known, and other values are valid too:
// a condition may carry a reason of the implementation's own.
func (b *builder) enumOf(m *module, info *markers.TypeInfo, basic *types.Basic) *Enum {
	values, closed := typeEnum(info, b.open)
	// Where a marker says all that is valid, constants beyond that are not.
	if !closed || len(values) == 0 {
		for _, value := range marker.Constants(m.pkg.Types, info.Name) {
			values = appendValue(values, encodeConstant(value.Val()))
		}
	}
	if len(values) == 0 {
		return nil
	}
	base := "string"
	if basic.Info()&types.IsNumeric != 0 {
		base = "number"
	}
	return &Enum{Base: base, Values: values, Open: !closed}
}

// typeEnum reads the markers of a type that make it an enum.
func typeEnum(info *markers.TypeInfo, asControllerGen bool) ([]json.RawMessage, bool) {
	var values []json.RawMessage
	closed := !asControllerGen && (info.Markers.Get("enum") != nil || info.Markers.Get("k8s:enum") != nil)
	if enum, ok := info.Markers.Get("kubebuilder:validation:Enum").(crdmarkers.Enum); ok {
		closed = true
		values = encodeAll(enum)
	}
	return values, closed
}

// fieldEnum reads the values to which the markers of a field bind it; the last marker counts.
func fieldEnum(field markers.FieldInfo) []json.RawMessage {
	var values []json.RawMessage
	for _, value := range field.Markers["kubebuilder:validation:Enum"] {
		if enum, ok := value.(crdmarkers.Enum); ok {
			values = encodeAll(enum)
		}
	}
	return values
}

// narrow binds the type of a field, or of its items, to some values.
func (b *builder) narrow(m *module, ref *Ref, values []json.RawMessage) {
	switch ref.Kind {
	case RefArray:
		b.narrow(m, ref.Elem, values)
	case RefString, RefNumber, RefNamed, RefIntOrString:
		*ref = Ref{Kind: RefLiterals, Values: values}
	}
}

func encodeAll(enum crdmarkers.Enum) []json.RawMessage {
	var values []json.RawMessage
	for _, value := range enum {
		values = appendValue(values, encode(value))
	}
	return values
}

func appendValue(values []json.RawMessage, value json.RawMessage) []json.RawMessage {
	if value == nil || slices.ContainsFunc(values, func(other json.RawMessage) bool { return string(other) == string(value) }) {
		return values
	}
	return append(values, value)
}

func encodeConstant(value constant.Value) json.RawMessage {
	switch value.Kind() {
	case constant.String:
		return encode(constant.StringVal(value))
	case constant.Bool:
		return encode(constant.BoolVal(value))
	case constant.Int, constant.Float:
		return json.RawMessage(value.ExactString())
	}
	return nil
}

func encode(value any) json.RawMessage {
	encoded, err := json.Marshal(value)
	if err != nil {
		return nil
	}
	return encoded
}
