package main

import (
	"fmt"
	"sort"
)

// order puts every file after the files that it imports, and otherwise sorts by name, so that the same sources always give
// the same bytes.
func order(files map[string]protoFile) ([]protoFile, error) {
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	sort.Strings(names)
	ordered := make([]protoFile, 0, len(files))
	done := map[string]bool{}
	var visit func(name, importer string) error
	visit = func(name, importer string) error {
		if done[name] {
			return nil
		}
		done[name] = true
		file, ok := files[name]
		if !ok {
			return fmt.Errorf("%s imports %s, which no package that it uses carries", importer, name)
		}
		for _, dep := range file.deps {
			if err := visit(dep, name); err != nil {
				return err
			}
		}
		ordered = append(ordered, file)
		return nil
	}
	for _, name := range names {
		if err := visit(name, ""); err != nil {
			return nil, err
		}
	}
	return ordered, nil
}
