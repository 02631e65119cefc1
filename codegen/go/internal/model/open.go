package model

import (
	"go/token"
	"go/types"

	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"
)

// moduleOf is the module in which a type is declared, nil if there is none. In an open model a package becomes a module when a
// type leads to it.
func (b *builder) moduleOf(object *types.TypeName) *module {
	if object.Pkg() == nil {
		return nil
	}
	path := object.Pkg().Path()
	if known := b.modules[path]; known != nil || !b.open {
		return known
	}
	if pkg := b.findPackage(path); pkg != nil {
		return b.reach(pkg)
	}
	return nil
}

// nameModule calls a module by its group and version. A package without a group holds no kinds, only what others may reach.
func (b *builder) nameModule(m *module) {
	m.Name, m.Source = m.Package, sourceGatewright
	m.isReached = m.group.Group == ""
	if m.isReached {
		return
	}
	m.Name, m.Kinds = m.group.String(), true
	for _, other := range b.modules {
		if other != m && other.Name == m.Name {
			b.problem(m.pkg, token.NoPos, "%s holds %s too: name the packages to read with --packages", other.Package, m.Name)
		}
	}
}

// kindNames are the kinds of a package and their lists, by what controller-gen takes for one. Other exported types may be Go's own
// affair: they are described where a kind leads to them.
func (b *builder) kindNames(m *module) []string {
	var names []string
	for _, name := range m.pkg.Types.Scope().Names() {
		info := b.set.Parser.LookupType(m.pkg, name)
		if info == nil || !token.IsExported(name) {
			continue
		}
		embedded := map[string]bool{}
		for _, field := range info.Fields {
			for _, meta := range []string{"TypeMeta", "ObjectMeta", "ListMeta"} {
				embedded[meta] = embedded[meta] || field.Name == "" && isMeta(m.pkg.TypesInfo.TypeOf(field.RawField.Type), meta)
			}
		}
		if embedded["TypeMeta"] && (embedded["ObjectMeta"] || embedded["ListMeta"]) {
			names = append(names, name)
		}
	}
	return names
}

func (b *builder) reach(pkg *loader.Package) *module {
	b.set.Parser.NeedPackage(pkg)
	pkg.NeedTypesInfo()
	name := pkg.PkgPath
	if name == metaPackage {
		name = b.scalars
	}
	m := &module{
		ModuleRequest: ModuleRequest{Name: name, Package: pkg.PkgPath, Source: sourceKubernetes},
		pkg:           pkg,
		group:         b.set.Parser.GroupVersions[pkg],
		isReached:     true,
	}
	b.modules[pkg.PkgPath] = m
	b.reached = append(b.reached, m)
	return m
}

// findPackage looks for a package among all that the requested ones import.
func (b *builder) findPackage(path string) *loader.Package {
	seen := map[string]bool{}
	var visit func(pkg *loader.Package) *loader.Package
	visit = func(pkg *loader.Package) *loader.Package {
		if pkg.PkgPath == path {
			return pkg
		}
		if seen[pkg.PkgPath] {
			return nil
		}
		seen[pkg.PkgPath] = true
		for _, imported := range pkg.Imports() {
			if found := visit(imported); found != nil {
				return found
			}
		}
		return nil
	}
	for _, root := range b.set.Roots {
		if found := visit(root); found != nil {
			return found
		}
	}
	return nil
}

// needScalars sees to it that an open model has the module of the scalars, which is that of metadata too.
func (b *builder) needScalars() {
	if !b.open || b.modules[metaPackage] != nil {
		return
	}
	pkg := b.findPackage(metaPackage)
	if pkg == nil {
		for _, root := range b.set.Roots {
			b.problem(root, token.NoPos, "no package imports %s, so there are no kinds of objects here", metaPackage)
			return
		}
		return
	}
	m := b.reach(pkg)
	for _, name := range []string{"ObjectMeta", "ListMeta", "Condition"} {
		b.need(ident{m.Package, name})
	}
}

// markedRef is the type that markers give to a field or to a type with a JSON form of its own, nil if they say nothing.
func markedRef(values markers.MarkerValues) *Ref {
	if values.Get("kubebuilder:validation:Schemaless") != nil {
		return &Ref{Kind: RefUnknown}
	}
	if values.Get("kubebuilder:validation:XIntOrString") != nil {
		return &Ref{Kind: RefIntOrString}
	}
	marker, ok := values.Get("kubebuilder:validation:Type").(crdmarkers.Type)
	if !ok {
		return nil
	}
	switch string(marker) {
	case "string":
		return &Ref{Kind: RefString}
	case "integer", "number":
		return &Ref{Kind: RefNumber}
	case "boolean":
		return &Ref{Kind: RefBoolean}
	case "object":
		return &Ref{Kind: RefObject}
	}
	return &Ref{Kind: RefUnknown}
}
