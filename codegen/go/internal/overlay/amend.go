package overlay

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// declaration is a struct type and where it stands.
type declaration struct {
	file *source
	doc  *ast.CommentGroup
	of   *ast.StructType
	// From and to where the whole of it stands in its file, with its comment, and where its keyword is.
	start, end, keyword int
}

// source is a Go file and what is to be changed in it.
type source struct {
	path  string
	text  []byte
	files *token.FileSet
	edits []edit
}

// edit puts a text in the place of a range.
type edit struct {
	start, end int
	text       string
}

func (s *source) at(pos token.Pos) int { return s.files.Position(pos).Offset }

// slice is the text of a range.
func (s *source) slice(start, end token.Pos) string { return string(s.text[s.at(start):s.at(end)]) }

// write makes the changes, from the end on.
func (s *source) write() error {
	slices.SortFunc(s.edits, func(a, b edit) int { return b.start - a.start })
	text := string(s.text)
	for _, each := range s.edits {
		text = text[:each.start] + each.text + text[each.end:]
	}
	return os.WriteFile(s.path, []byte(text), 0o600)
}

// amend takes the structs of a file into the package of a folder: those that are there get the fields and markers that they do
// not have, those that are not are added.
func amend(folder, path string) error {
	there := map[string]*declaration{}
	originals, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return err
	}
	if len(originals) == 0 {
		return fmt.Errorf("%s: the module has no package there", path)
	}
	var sources []*source
	for _, original := range originals {
		file, err := read(original, there)
		if err != nil {
			return err
		}
		sources = append(sources, file)
	}
	amendments := map[string]*declaration{}
	added, err := read(path, amendments)
	if err != nil {
		return err
	}
	added.path = filepath.Join(folder, filepath.Base(path))
	for name, amendment := range amendments {
		if original := there[name]; original != nil {
			original.merge(amendment)
			added.edits = append(added.edits, edit{amendment.start, amendment.end, ""})
		}
	}
	for _, file := range append(sources, added) {
		if err := file.write(); err != nil {
			return err
		}
	}
	return nil
}

// read finds the structs of a file.
func read(path string, found map[string]*declaration) (*source, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	file := &source{path: path, text: text, files: token.NewFileSet()}
	tree, err := parser.ParseFile(file.files, path, text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	for _, each := range tree.Decls {
		general, isGeneral := each.(*ast.GenDecl)
		if !isGeneral || general.Tok != token.TYPE || len(general.Specs) != 1 {
			continue
		}
		spec := general.Specs[0].(*ast.TypeSpec)
		structure, isStruct := spec.Type.(*ast.StructType)
		if !isStruct {
			continue
		}
		start := general.Pos()
		if general.Doc != nil {
			start = general.Doc.Pos()
		}
		found[spec.Name.Name] = &declaration{file, general.Doc, structure, file.at(start), file.at(general.End()), file.at(general.Pos())}
	}
	return file, nil
}

func (d *declaration) merge(amendment *declaration) {
	d.file.mark(d.doc, d.keyword, amendment.file.markers(amendment.doc))
	for _, field := range amendment.of.Fields.List {
		if original := d.field(field); original != nil {
			d.file.mark(original.Doc, d.file.at(original.Pos()), amendment.file.markers(field.Doc))
			if field.Tag != nil && original.Tag != nil {
				d.file.edits = append(d.file.edits, edit{d.file.at(original.Tag.Pos()), d.file.at(original.Tag.End()), field.Tag.Value})
			}
			continue
		}
		start := field.Pos()
		if field.Doc != nil {
			start = field.Doc.Pos()
		}
		closing := d.file.at(d.of.Fields.Closing)
		d.file.edits = append(d.file.edits, edit{closing, closing, "\n\t" + amendment.file.slice(start, field.End()) + "\n"})
	}
}

// field is the field of the same name.
func (d *declaration) field(like *ast.Field) *ast.Field {
	for _, field := range d.of.Fields.List {
		if len(field.Names) == 1 && len(like.Names) == 1 && field.Names[0].Name == like.Names[0].Name {
			return field
		}
	}
	return nil
}

// markers are the lines of a comment that say something to generators.
func (s *source) markers(doc *ast.CommentGroup) []string {
	var lines []string
	if doc != nil {
		for _, comment := range doc.List {
			if markerName(comment.Text) != "" {
				lines = append(lines, comment.Text)
			}
		}
	}
	return lines
}

// mark puts markers at the end of a comment, which may not be there yet, and takes out those in whose place they stand.
func (s *source) mark(doc *ast.CommentGroup, before int, markers []string) {
	if len(markers) == 0 {
		return
	}
	names := map[string]bool{}
	for _, marker := range markers {
		names[markerName(marker)] = true
	}
	if doc != nil {
		for _, comment := range doc.List {
			if names[markerName(comment.Text)] {
				s.edits = append(s.edits, edit{s.at(comment.Pos()), s.at(comment.End()), "//"})
			}
		}
	}
	s.edits = append(s.edits, edit{before, before, strings.Join(markers, "\n") + "\n"})
}

// markerName is what markers of which only one counts have in common, or nothing for plain words.
func markerName(comment string) string {
	text := strings.TrimSpace(strings.TrimPrefix(comment, "//"))
	if !strings.HasPrefix(text, "+") && !strings.HasPrefix(text, "<gateway:") {
		return ""
	}
	name, _, _ := strings.Cut(text, "=")
	switch name {
	case "+optional", "+required", "+k8s:optional", "+k8s:required":
		return "presence"
	}
	return name
}
