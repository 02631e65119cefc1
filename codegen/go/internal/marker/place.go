package marker

import (
	"go/ast"
	"go/token"

	"sigs.k8s.io/controller-tools/pkg/markers"
)

// place is where a comment stands, and what its markers can describe there.
type place struct {
	name    string
	targets []markers.TargetType
}

// Places that controller-tools does not look at, but other programs do.
const (
	describesFunction markers.TargetType = 100 + iota
	describesValue
)

var (
	onPackage = place{"on a package", []markers.TargetType{markers.DescribesPackage}}
	onType    = place{"on a type", []markers.TargetType{markers.DescribesType}}
	// A comment above a type, apart from its doc comment, may describe either.
	aboveType  = place{"above a type", []markers.TargetType{markers.DescribesType, markers.DescribesPackage}}
	onField    = place{"on a field", []markers.TargetType{markers.DescribesField}}
	onFunction = place{"on a function", []markers.TargetType{describesFunction}}
	onValue    = place{"on a constant or a variable", []markers.TargetType{describesValue}}
	onOther    = place{"on an import or a group of types", nil}
	behind     = place{"behind what it describes", nil}
	nowhere    = place{"away from any field", nil}
)

// places says where the comments of a file stand, as controller-tools sees it. Those in functions are left out.
func places(file *ast.File) map[*ast.CommentGroup]place {
	p := &placer{found: map[*ast.CommentGroup]place{}}
	p.set(file.Doc, onPackage)
	for _, decl := range file.Decls {
		p.decl(decl)
	}
	for i, group := range file.Comments {
		if _, known := p.found[group]; known || p.inFunction(group) {
			continue
		}
		p.found[group] = p.free(file, i)
	}
	return p.found
}

type placer struct {
	found map[*ast.CommentGroup]place
	// structs and functions are the places of braces, fields the fields in the order of the file.
	structs, functions []ast.Node
	fields             []*ast.Field
}

func (p *placer) set(group *ast.CommentGroup, where place) {
	if group != nil {
		p.found[group] = where
	}
}

func (p *placer) decl(decl ast.Decl) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		p.set(decl.Doc, onFunction)
		if decl.Body != nil {
			p.functions = append(p.functions, decl.Body)
		}
	case *ast.GenDecl:
		switch {
		case decl.Tok == token.TYPE && !decl.Lparen.IsValid():
			p.set(decl.Doc, onType)
		case decl.Tok == token.CONST || decl.Tok == token.VAR:
			p.set(decl.Doc, onValue)
		default:
			p.set(decl.Doc, onOther)
		}
		for _, spec := range decl.Specs {
			p.spec(spec)
		}
	}
}

func (p *placer) spec(spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.ImportSpec:
		p.set(spec.Doc, onOther)
		p.set(spec.Comment, behind)
	case *ast.ValueSpec:
		p.set(spec.Doc, onValue)
		p.set(spec.Comment, behind)
	case *ast.TypeSpec:
		p.set(spec.Doc, onType)
		p.set(spec.Comment, behind)
		ast.Inspect(spec.Type, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.StructType:
				p.structs = append(p.structs, node.Fields)
			case *ast.Field:
				p.set(node.Doc, onField)
				p.set(node.Comment, behind)
				p.fields = append(p.fields, node)
			}
			return true
		})
	}
}

func (p *placer) inFunction(group *ast.CommentGroup) bool {
	return within(p.functions, group)
}

func within(nodes []ast.Node, group *ast.CommentGroup) bool {
	for _, node := range nodes {
		if node.Pos() < group.Pos() && group.Pos() < node.End() {
			return true
		}
	}
	return false
}

// free places a comment that is not attached to anything. Directly above a field or a type, nothing but the doc comment
// between, it counts for that; elsewhere outside of structs it counts for the package.
func (p *placer) free(file *ast.File, index int) place {
	group := file.Comments[index]
	if within(p.structs, group) {
		for _, field := range p.fields {
			if field.Pos() > group.Pos() && p.isNextAbove(file, index, field.Pos(), field.Doc) {
				return onField
			}
		}
		return nowhere
	}
	for _, decl := range file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if ok && gen.Tok == token.TYPE && !gen.Lparen.IsValid() && gen.Pos() > group.Pos() && p.isNextAbove(file, index, gen.Pos(), gen.Doc) {
			return aboveType
		}
	}
	return onPackage
}

// isNextAbove tells whether no other comment than doc, and no other declaration, stands between a comment and pos.
func (p *placer) isNextAbove(file *ast.File, index int, pos token.Pos, doc *ast.CommentGroup) bool {
	for _, other := range file.Comments[index+1:] {
		if other.Pos() < pos && other != doc {
			return false
		}
	}
	group := file.Comments[index]
	for _, decl := range file.Decls {
		if decl.Pos() > group.Pos() && decl.End() <= pos {
			return false
		}
	}
	for _, field := range p.fields {
		if field.Pos() > group.Pos() && field.End() <= pos {
			return false
		}
	}
	return true
}
