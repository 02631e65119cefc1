package model

import (
	"fmt"
	"go/token"
	"go/types"
	"path"
	"sort"

	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"

	"gatewright.dev/codegen/internal/source"
)

// Build makes the model from the packages as the experimental channel of the Gateway API shows them; standard is needed for
// the CRDs of the standard channel. Problems are faults in the sources, as `file:line: message`.
func Build(set, standard *source.Set, request Request) (*Model, []string) {
	b := &builder{
		set:      set,
		standard: standard,
		modules:  map[string]*module{},
		found:    map[ident]*Type{},
		scalars:  request.Scalars,
		open:     request.Open,
	}
	for _, wanted := range request.Modules {
		pkg := set.Roots[wanted.Package]
		group := set.Parser.GroupVersions[pkg]
		if wanted.Group != "" {
			group = groupVersion{Group: wanted.Group, Version: path.Base(wanted.Package)}
		}
		if group.Version == "" && !b.open {
			b.problem(pkg, token.NoPos, "the package has no +groupName marker, and the table of modules gives no group")
		}
		m := &module{ModuleRequest: wanted, pkg: pkg, group: group}
		b.modules[wanted.Package] = m
		if b.open {
			b.nameModule(m)
		}
	}
	for _, wanted := range request.Modules {
		if m := b.modules[wanted.Package]; !m.isReached {
			b.seed(m)
		}
	}
	b.needScalars()
	for len(b.queue) > 0 {
		next := b.queue[0]
		b.queue = b.queue[1:]
		b.describe(next)
	}
	result := &Model{Features: []Feature{}, FeatureConstants: []Constant{}, Warnings: set.Warnings()}
	for _, wanted := range request.Modules {
		result.Modules = append(result.Modules, b.finish(b.modules[wanted.Package]))
	}
	for _, reached := range b.reached {
		result.Modules = append(result.Modules, b.finish(reached))
	}
	result.Kinds = b.kinds(request)
	result.CRDs, result.Schemas = b.definitions(request, result.Kinds)
	if request.Features != "" {
		pkg := set.Roots[request.Features]
		result.Features = b.features(pkg)
		result.FeatureConstants = b.constants(&module{pkg: pkg})
	}
	sort.Strings(b.problems)
	return result, b.problems
}

type module struct {
	ModuleRequest
	pkg   *loader.Package
	group groupVersion
	// isReached tells that nobody asked for the package, but that types led to it.
	isReached bool
}

// ident is a type by package and name.
type ident struct{ path, name string }

type builder struct {
	set, standard *source.Set
	modules       map[string]*module
	found         map[ident]*Type
	queue         []ident
	scalars       string
	open          bool
	reached       []*module
	problems      []string
}

// seed asks for the types that a module starts from.
func (b *builder) seed(m *module) {
	names := m.Roots
	if b.open {
		names = b.kindNames(m)
	} else if len(names) == 0 {
		for _, name := range m.pkg.Types.Scope().Names() {
			if _, isType := m.pkg.Types.Scope().Lookup(name).(*types.TypeName); isType && token.IsExported(name) {
				names = append(names, name)
			}
		}
	}
	for _, name := range names {
		if m.pkg.Types.Scope().Lookup(name) == nil {
			b.problem(m.pkg, token.NoPos, "%s has no type %s", m.Package, name)
			continue
		}
		b.need(ident{m.Package, name})
		if list := name + "List"; m.pkg.Types.Scope().Lookup(list) != nil {
			b.need(ident{m.Package, list})
		}
	}
}

// need asks for the description of a type, once.
func (b *builder) need(id ident) {
	if _, known := b.found[id]; known {
		return
	}
	b.found[id] = nil
	b.queue = append(b.queue, id)
}

// describe makes the description of a type that was asked for.
func (b *builder) describe(id ident) {
	m := b.modules[id.path]
	info := b.set.Parser.LookupType(m.pkg, id.name)
	if info == nil {
		b.problem(m.pkg, token.NoPos, "type %s of %s has no declaration", id.name, id.path)
		return
	}
	described := &Type{Name: id.name, Doc: plainDoc(info.Doc)}
	b.found[id] = described
	declared := m.pkg.TypesInfo.TypeOf(info.RawSpec.Type)
	object := m.pkg.Types.Scope().Lookup(id.name).(*types.TypeName)
	switch underlying := declared.Underlying().(type) {
	case *types.Struct:
		origin, originInfo := b.origin(m, info)
		if originInfo == nil {
			return
		}
		if origin == m && originInfo == info {
			if b.open {
				if ref := markedRef(info.Markers); ref != nil && hasMethod(object.Type(), "MarshalJSON") {
					described.Alias = ref
					return
				}
			} else if hasMethod(object.Type(), "MarshalJSON") {
				b.problem(m.pkg, info.RawSpec.Pos(), "%s has a JSON form of its own, which is not known here", id.name)
				return
			}
			described.Struct = b.structOf(m, m, info)
			return
		}
		// A new name for a type of another package. A kind is spelled out, because its apiVersion differs.
		if structType := b.structOf(m, origin, originInfo); structType.Kind != "" && !object.IsAlias() {
			structType.Kind = id.name
			described.Struct = structType
			return
		}
		ref := b.ref(m, info.RawSpec.Pos(), declared)
		described.Alias = &ref
	case *types.Basic:
		if object.IsAlias() {
			ref := b.ref(m, info.RawSpec.Pos(), declared)
			described.Alias = &ref
			return
		}
		described.Enum = b.enumOf(m, info, underlying)
		if described.Enum == nil {
			ref := b.ref(m, info.RawSpec.Pos(), underlying)
			described.Alias = &ref
		}
	default:
		ref := b.ref(m, info.RawSpec.Pos(), declared)
		described.Alias = &ref
	}
}

// origin follows `type A v1.B` and `type A = v1.B` to the declaration of the struct.
func (b *builder) origin(m *module, info *markers.TypeInfo) (*module, *markers.TypeInfo) {
	if info.Fields != nil || isStructLiteral(info) {
		return m, info
	}
	named, isNamed := types.Unalias(m.pkg.TypesInfo.TypeOf(info.RawSpec.Type)).(*types.Named)
	if !isNamed {
		b.problem(m.pkg, info.RawSpec.Pos(), "%s is declared in a way that is not known here", info.Name)
		return nil, nil
	}
	other := b.moduleOf(named.Obj())
	if other == nil {
		b.problem(m.pkg, info.RawSpec.Pos(), "%s is in a package that has no module", named)
		return nil, nil
	}
	return b.origin(other, b.set.Parser.LookupType(other.pkg, named.Obj().Name()))
}

func (b *builder) finish(m *module) Module {
	out := Module{Name: m.Name, Package: m.Package, Types: []Type{}, Constants: b.constants(m)}
	for id, described := range b.found {
		if id.path == m.Package && described != nil {
			out.Types = append(out.Types, *described)
		}
	}
	if m.Name == b.scalars {
		out.Types = append(out.Types, scalarTypes(b.open)...)
	}
	sort.Slice(out.Types, func(i, j int) bool { return out.Types[i].Name < out.Types[j].Name })
	return out
}

func (b *builder) problem(pkg *loader.Package, pos token.Pos, format string, args ...any) {
	place := pkg.PkgPath
	if pos.IsValid() {
		place = pkg.Fset.Position(pos).String()
	}
	b.problems = append(b.problems, place+": "+fmt.Sprintf(format, args...))
}

func hasMethod(t types.Type, name string) bool {
	return types.NewMethodSet(types.NewPointer(t)).Lookup(nil, name) != nil
}
