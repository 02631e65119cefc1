package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// modules finds packages in the modules that one go.mod pins, downloading a module the first time it is needed.
type modules struct {
	folder string
	pinned []string
	dirs   map[string]string
}

func pinnedModules(folder string) (*modules, error) {
	var file struct{ Require []struct{ Path string } }
	if err := goCommand(folder, &file, "mod", "edit", "-json"); err != nil {
		return nil, err
	}
	found := &modules{folder: folder, dirs: map[string]string{}}
	for _, require := range file.Require {
		found.pinned = append(found.pinned, require.Path)
	}
	return found, nil
}

// dirOf is the folder of a package's sources.
func (m *modules) dirOf(pkg string) (string, error) {
	module := ""
	for _, path := range m.pinned {
		if (pkg == path || strings.HasPrefix(pkg, path+"/")) && len(path) > len(module) {
			module = path
		}
	}
	if module == "" {
		return "", fmt.Errorf("%s is in no module of %s", pkg, filepath.Join(m.folder, "go.mod"))
	}
	if m.dirs[module] == "" {
		var download struct{ Dir, Error string }
		if err := goCommand(m.folder, &download, "mod", "download", "-json", module); err != nil {
			return "", fmt.Errorf("%w %s", err, download.Error)
		}
		m.dirs[module] = download.Dir
	}
	return filepath.Join(m.dirs[module], filepath.FromSlash(strings.TrimPrefix(pkg, module))), nil
}

// goCommand decodes what a go command prints as JSON into result.
func goCommand(folder string, result any, args ...string) error {
	command := exec.Command("go", args...)
	command.Dir = folder
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if len(out) > 0 {
		if decodeErr := json.Unmarshal(out, result); decodeErr != nil && err == nil {
			err = decodeErr
		}
	}
	if err != nil {
		return fmt.Errorf("go %s: %w %s", strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return nil
}
