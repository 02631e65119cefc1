// Package source loads the Go packages that hold API types.
package source

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"sort"

	"golang.org/x/tools/go/packages"
	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"

	"gatewright.dev/codegen/internal/marker"
)

// Set is a number of loaded packages and the parser that has seen them.
type Set struct {
	Parser *crd.Parser
	// Roots are the requested packages by import path.
	Roots   map[string]*loader.Package
	Channel Channel
	// Lenient takes markers without effect for warnings: their author is somebody else.
	Lenient bool
	// markers are those without effect.
	markers []string
}

// Load reads packages, named by import path, as the go.mod of the folder dir resolves them, unless flags of the go command say
// otherwise, and as a release channel of the Gateway API shows them.
func Load(dir string, paths []string, channel Channel, flags ...string) (*Set, error) {
	// The loader leaves generated code out unless told otherwise, and with it the Gateway API's GroupName, of which other
	// constants are made.
	config := &packages.Config{Dir: dir, BuildFlags: append([]string{"-tags="}, flags...), Fset: token.NewFileSet()}
	roots, err := loader.LoadRootsWithConfig(config, paths...)
	if err != nil {
		return nil, err
	}
	generator := crd.Generator{}
	parser := &crd.Parser{
		Collector: &markers.Collector{Registry: &markers.Registry{}},
		Checker:   &loader.TypeChecker{NodeFilters: []loader.NodeFilter{generator.CheckFilter()}},
	}
	if err := generator.RegisterMarkers(parser.Collector.Registry); err != nil {
		return nil, err
	}
	if err := marker.Register(parser.Collector.Registry, channel != None); err != nil {
		return nil, err
	}
	crd.AddKnownTypes(parser)
	set := &Set{Parser: parser, Roots: map[string]*loader.Package{}, Channel: channel}
	for _, root := range roots {
		for _, problem := range root.Errors {
			return nil, fmt.Errorf("%s: %s", root.PkgPath, problem.Error())
		}
		set.Roots[root.PkgPath] = root
	}
	for _, path := range paths {
		if set.Roots[path] == nil {
			return nil, fmt.Errorf("package %s was not found", path)
		}
	}
	sort.Slice(roots, func(i, j int) bool { return roots[i].PkgPath < roots[j].PkgPath })
	for _, root := range roots {
		root.NeedSyntax()
		for _, file := range root.Syntax {
			set.checkMarkers(config.Fset, root.PkgPath, file)
		}
		if channel != None {
			applyTags(root.Syntax, channel)
		}
	}
	for _, root := range roots {
		parser.NeedPackage(root)
		root.NeedTypesInfo()
	}
	return set, nil
}

// Problems lists what controller-tools found wrong in the packages, one a line, with file and line.
func (s *Set) Problems() []string {
	seen := map[string]bool{}
	var problems []string
	if !s.Lenient {
		problems = slices.Clone(s.markers)
	}
	raw := make([]*packages.Package, 0, len(s.Roots))
	for _, root := range s.Roots {
		raw = append(raw, root.Package)
	}
	packages.Visit(raw, nil, func(pkg *packages.Package) {
		for _, problem := range pkg.Errors {
			// Packages are type-checked without the bodies of their functions and without what they import for them,
			// so type errors are expected there.
			if problem.Kind == packages.TypeError {
				continue
			}
			line := problem.Pos + ": " + problem.Msg
			if !seen[line] {
				seen[line] = true
				problems = append(problems, line)
			}
		}
	})
	sort.Strings(problems)
	return problems
}

// Warnings lists what a lenient set lets pass.
func (s *Set) Warnings() []string {
	if !s.Lenient {
		return nil
	}
	return slices.Sorted(slices.Values(s.markers))
}

func (s *Set) checkMarkers(files *token.FileSet, pkg string, file *ast.File) {
	for _, problem := range marker.Check(s.Parser.Collector.Registry, pkg, files.Position(file.Pos()).Filename, file) {
		s.markers = append(s.markers, files.Position(problem.Pos).String()+": "+problem.Message)
	}
}
