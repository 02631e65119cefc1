package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// protoFile is one .proto file.
type protoFile struct {
	raw  []byte
	deps []string
}

// collect reads the descriptors of every package of the module root, and of the packages that those need. Files are
// keyed by the name of the .proto file.
func collect(modules *modules, root string) (map[string]protoFile, error) {
	packages, err := packagesOf(modules, root)
	if err != nil {
		return nil, err
	}
	files := map[string]protoFile{}
	seen := map[string]bool{}
	for len(packages) > 0 {
		next := packages[0]
		packages = packages[1:]
		if seen[next] {
			continue
		}
		seen[next] = true
		imports, err := readPackage(modules, next, files)
		if err != nil {
			return nil, err
		}
		packages = append(packages, imports...)
	}
	return files, nil
}

// packagesOf lists the packages of a module that hold generated protobuf code.
func packagesOf(modules *modules, root string) ([]string, error) {
	dir, err := modules.dirOf(root)
	if err != nil {
		return nil, err
	}
	var packages []string
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		generated, err := filepath.Glob(filepath.Join(path, "*.pb.go"))
		if err != nil || len(generated) == 0 {
			return err
		}
		relative, err := filepath.Rel(dir, path)
		packages = append(packages, root+"/"+filepath.ToSlash(relative))
		return err
	})
	return packages, err
}

// readPackage adds a package's descriptors to files, and returns the packages of those .proto files that it imports.
func readPackage(modules *modules, pkg string, files map[string]protoFile) ([]string, error) {
	dir, err := modules.dirOf(pkg)
	if err != nil {
		return nil, err
	}
	sources, err := filepath.Glob(filepath.Join(dir, "*.pb.go"))
	if err != nil {
		return nil, err
	}
	imports := map[string]bool{}
	for _, source := range sources {
		if strings.HasSuffix(source, "_vtproto.pb.go") || strings.HasSuffix(source, "_grpc.pb.go") {
			continue
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), source, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		raw, err := rawDescriptor(syntax)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", source, err)
		}
		descriptor := &descriptorpb.FileDescriptorProto{}
		if err := proto.Unmarshal(raw, descriptor); err != nil {
			return nil, fmt.Errorf("%s: %w", source, err)
		}
		files[descriptor.GetName()] = protoFile{raw: raw, deps: descriptor.GetDependency()}
		for _, spec := range syntax.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return nil, err
			}
			if mayHoldDescriptors(path) {
				imports[path] = true
			}
		}
	}
	return sorted(imports), nil
}

// mayHoldDescriptors tells the packages of imported .proto files from those that every generated file uses.
func mayHoldDescriptors(pkg string) bool {
	if !strings.Contains(pkg, ".") || strings.HasPrefix(pkg, "google.golang.org/grpc") {
		return false
	}
	return !strings.HasPrefix(pkg, "google.golang.org/protobuf/") || strings.HasPrefix(pkg, "google.golang.org/protobuf/types/")
}

// rawDescriptor evaluates the constant in which protoc-gen-go keeps the serialized descriptor.
func rawDescriptor(file *ast.File) ([]byte, error) {
	for _, decl := range file.Decls {
		general, ok := decl.(*ast.GenDecl)
		if !ok || (general.Tok != token.CONST && general.Tok != token.VAR) {
			continue
		}
		for _, spec := range general.Specs {
			value, ok := spec.(*ast.ValueSpec)
			if !ok || len(value.Names) != 1 || len(value.Values) != 1 || !strings.HasSuffix(value.Names[0].Name, "_rawDesc") {
				continue
			}
			return evaluate(value.Values[0])
		}
	}
	return nil, fmt.Errorf("no descriptor found: was the file written by protoc-gen-go?")
}

// evaluate knows the forms that protoc-gen-go has used: a sum of string literals, and the older list of bytes.
func evaluate(expr ast.Expr) ([]byte, error) {
	switch expr := expr.(type) {
	case *ast.BasicLit:
		if expr.Kind == token.STRING {
			text, err := strconv.Unquote(expr.Value)
			return []byte(text), err
		}
	case *ast.BinaryExpr:
		if expr.Op == token.ADD {
			left, err := evaluate(expr.X)
			if err != nil {
				return nil, err
			}
			right, err := evaluate(expr.Y)
			return append(left, right...), err
		}
	case *ast.CallExpr:
		// string([]byte{…})
		if len(expr.Args) == 1 {
			return evaluate(expr.Args[0])
		}
	case *ast.CompositeLit:
		bytes := make([]byte, 0, len(expr.Elts))
		for _, element := range expr.Elts {
			literal, ok := element.(*ast.BasicLit)
			if !ok {
				return nil, fmt.Errorf("unexpected %T in a list of bytes", element)
			}
			value, err := strconv.ParseUint(literal.Value, 0, 8)
			if err != nil {
				return nil, err
			}
			bytes = append(bytes, byte(value))
		}
		return bytes, nil
	}
	return nil, fmt.Errorf("unexpected %T in a descriptor", expr)
}

func sorted(set map[string]bool) []string {
	list := make([]string, 0, len(set))
	for item := range set {
		list = append(list, item)
	}
	sort.Strings(list)
	return list
}
