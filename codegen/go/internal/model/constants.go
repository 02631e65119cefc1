package model

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// constants lists the exported constants of a module: all of a package that is read whole, else those that have no type of
// their own or one that is described.
func (b *builder) constants(m *module) []Constant {
	out := []Constant{}
	for _, file := range m.pkg.Syntax {
		for _, decl := range file.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.CONST {
				continue
			}
			for _, spec := range gen.Specs {
				value := spec.(*ast.ValueSpec)
				doc := value.Doc
				if doc == nil && !gen.Lparen.IsValid() {
					doc = gen.Doc
				}
				if doc == nil {
					doc = value.Comment
				}
				for _, name := range value.Names {
					if constant, ok := b.constant(m, name, doc); ok {
						out = append(out, constant)
					}
				}
			}
		}
	}
	return out
}

func (b *builder) constant(m *module, name *ast.Ident, doc *ast.CommentGroup) (Constant, bool) {
	object, ok := m.pkg.TypesInfo.Defs[name].(*types.Const)
	if !ok || !object.Exported() {
		return Constant{}, false
	}
	if named, ok := types.Unalias(object.Type()).(*types.Named); ok && (m.isReached || len(m.Roots) > 0) {
		if b.found[ident{m.Package, named.Obj().Name()}] == nil {
			return Constant{}, false
		}
	}
	value := encodeConstant(object.Val())
	if value == nil && b.open {
		// It is made of what API types do not import, such as time.Hour.
		return Constant{}, false
	}
	if value == nil {
		b.problem(m.pkg, name.Pos(), "the value of %s cannot be computed", name.Name)
		return Constant{}, false
	}
	return Constant{Name: name.Name, Doc: commentText(doc), Value: value}, true
}

// commentText is the text of a comment without its markers.
func commentText(group *ast.CommentGroup) string {
	if group == nil {
		return ""
	}
	var lines []string
	for line := range strings.SplitSeq(group.Text(), "\n") {
		if !strings.HasPrefix(strings.TrimSpace(line), "+") {
			lines = append(lines, line)
		}
	}
	return plainDoc(strings.Join(lines, "\n"))
}
