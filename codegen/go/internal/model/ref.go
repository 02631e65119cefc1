package model

import (
	"go/token"
	"go/types"
)

// scalarRefs are types whose JSON form is not that of their Go type.
var scalarRefs = map[ident]struct {
	name, doc string
	target    Ref
}{
	{metaPackage, "Time"}:      {"Time", "A point in time as RFC 3339, for example `2026-01-31T12:00:00Z`.", Ref{Kind: RefString}},
	{metaPackage, "MicroTime"}: {"MicroTime", "A point in time as RFC 3339 with microseconds.", Ref{Kind: RefString}},
	{metaPackage, "Duration"}:  {"Duration", "A duration as Go prints it, for example `1m30s`.", Ref{Kind: RefString}},
	{metaPackage, "FieldsV1"}:  {"FieldsV1", "A set of fields as a trie of their paths.", Ref{Kind: RefObject}},
	{"k8s.io/apimachinery/pkg/api/resource", "Quantity"}: {
		"Quantity", "A number with an optional suffix, for example `100m`, `1.5` or `64Mi`.", Ref{Kind: RefString},
	},
	{"k8s.io/apimachinery/pkg/util/intstr", "IntOrString"}: {
		"IntOrString", "A number, or a string such as `25%` or the name of a port.", Ref{Kind: RefIntOrString},
	},
	{"k8s.io/apimachinery/pkg/runtime", "RawExtension"}: {
		"RawExtension", "An object of any kind.", Ref{Kind: RefObject},
	},
	{"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1", "JSON"}: {"JSON", "Any JSON value.", Ref{Kind: RefUnknown}},
}

func scalarTypes(open bool) []Type {
	var out []Type
	for _, scalar := range scalarRefs {
		target := scalar.target
		// An API server prints a string and takes a number too.
		if open && scalar.name == "Quantity" {
			target = Ref{Kind: RefIntOrString}
		}
		out = append(out, Type{Name: scalar.name, Doc: scalar.doc, Alias: &target})
	}
	return out
}

// ref says what a Go type is in JSON, and asks for the description of what it names.
func (b *builder) ref(m *module, pos token.Pos, t types.Type) Ref {
	switch t := t.(type) {
	case *types.Pointer:
		return b.ref(m, pos, t.Elem())
	case *types.Alias:
		if b.isModuleType(t.Obj()) {
			return b.named(t.Obj())
		}
		return b.ref(m, pos, types.Unalias(t))
	case *types.Named:
		return b.namedRef(m, pos, t)
	case *types.Basic:
		return b.basicRef(m, pos, t)
	case *types.Slice:
		if basic, ok := t.Elem().(*types.Basic); ok && basic.Kind() == types.Byte {
			return Ref{Kind: RefBytes}
		}
		elem := b.ref(m, pos, t.Elem())
		return Ref{Kind: RefArray, Elem: &elem}
	case *types.Array:
		elem := b.ref(m, pos, t.Elem())
		return Ref{Kind: RefArray, Elem: &elem}
	case *types.Map:
		if basic, ok := t.Key().Underlying().(*types.Basic); !ok || basic.Info()&types.IsString == 0 {
			b.problem(m.pkg, pos, "a map with keys of type %s has no form in JSON", t.Key())
		}
		elem := b.ref(m, pos, t.Elem())
		return Ref{Kind: RefMap, Elem: &elem}
	case *types.Interface:
		return Ref{Kind: RefUnknown}
	}
	b.problem(m.pkg, pos, "type %s is not known here", t)
	return Ref{Kind: RefUnknown}
}

func (b *builder) namedRef(m *module, pos token.Pos, t *types.Named) Ref {
	object := t.Obj()
	if object.Pkg() == nil {
		return b.ref(m, pos, t.Underlying())
	}
	if scalar, ok := scalarRefs[ident{object.Pkg().Path(), object.Name()}]; ok {
		return Ref{Kind: RefNamed, Module: b.scalars, Name: scalar.name}
	}
	if b.isModuleType(object) {
		return b.named(object)
	}
	switch underlying := t.Underlying().(type) {
	case *types.Basic:
		return b.basicRef(m, pos, underlying)
	case *types.Interface:
		return Ref{Kind: RefUnknown}
	}
	b.problem(m.pkg, pos, "%s is in a package that has no module", t)
	return Ref{Kind: RefUnknown}
}

func (b *builder) basicRef(m *module, pos token.Pos, t *types.Basic) Ref {
	switch {
	case t.Info()&types.IsString != 0:
		return Ref{Kind: RefString}
	case t.Info()&types.IsNumeric != 0:
		return Ref{Kind: RefNumber}
	case t.Info()&types.IsBoolean != 0:
		return Ref{Kind: RefBoolean}
	}
	b.problem(m.pkg, pos, "type %s cannot be resolved", t)
	return Ref{Kind: RefUnknown}
}

func (b *builder) isModuleType(object *types.TypeName) bool {
	return b.moduleOf(object) != nil
}

func (b *builder) named(object *types.TypeName) Ref {
	path := object.Pkg().Path()
	b.need(ident{path, object.Name()})
	return Ref{Kind: RefNamed, Module: b.modules[path].Name, Name: object.Name()}
}
