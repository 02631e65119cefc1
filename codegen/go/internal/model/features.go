package model

import (
	"go/ast"
	"go/constant"
	"go/token"
	"slices"
	"sort"

	"sigs.k8s.io/controller-tools/pkg/loader"
)

// features reads the package that lists the features of the Gateway API: variables of type Feature, and sets of them.
func (b *builder) features(pkg *loader.Package) []Feature {
	byVariable := map[string]*Feature{}
	sets := map[string][]*ast.Ident{}
	for _, file := range pkg.Syntax {
		for _, decl := range file.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.VAR {
				continue
			}
			for _, spec := range gen.Specs {
				value := spec.(*ast.ValueSpec)
				for i, name := range value.Names {
					if i >= len(value.Values) {
						continue
					}
					switch expression := value.Values[i].(type) {
					case *ast.CompositeLit:
						if ident, ok := expression.Type.(*ast.Ident); ok && ident.Name == "Feature" {
							byVariable[name.Name] = b.feature(pkg, expression, value, gen)
						}
					case *ast.CallExpr:
						if members := setMembers(expression); members != nil {
							sets[name.Name] = members
						}
					}
				}
			}
		}
	}
	for set, members := range sets {
		for _, member := range members {
			feature := byVariable[member.Name]
			if feature == nil {
				b.problem(pkg, member.Pos(), "%s is not a feature", member.Name)
				continue
			}
			feature.Sets = append(feature.Sets, set)
		}
	}
	out := []Feature{}
	for variable, feature := range byVariable {
		if len(feature.Sets) == 0 {
			b.problem(pkg, pkg.Types.Scope().Lookup(variable).Pos(), "feature %s is in no set", variable)
		}
		slices.Sort(feature.Sets)
		out = append(out, *feature)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

// setMembers are the arguments of `sets.New(a, b, …)`, nil for any other call.
func setMembers(call *ast.CallExpr) []*ast.Ident {
	function, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || function.Sel.Name != "New" {
		return nil
	}
	var members []*ast.Ident
	for _, argument := range call.Args {
		if member, ok := argument.(*ast.Ident); ok {
			members = append(members, member)
		}
	}
	return members
}

func (b *builder) feature(pkg *loader.Package, literal *ast.CompositeLit, spec *ast.ValueSpec, decl *ast.GenDecl) *Feature {
	doc := spec.Doc
	if doc == nil && !decl.Lparen.IsValid() {
		doc = decl.Doc
	}
	out := &Feature{Doc: commentText(doc), Sets: []string{}}
	for _, element := range literal.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		value := pkg.TypesInfo.Types[pair.Value].Value
		if value == nil || value.Kind() != constant.String {
			b.problem(pkg, pair.Pos(), "the value is not a constant string")
			continue
		}
		switch key := pair.Key.(*ast.Ident); key.Name {
		case "Name":
			out.Name = constant.StringVal(value)
		case "Channel":
			out.Channel = constant.StringVal(value)
		}
	}
	return out
}
