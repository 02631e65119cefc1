// Package overlay amends the types of a Go module: it makes a copy of the module with some fields and markers more, and a go.mod
// that leads to the copy. The go command itself can replace single files, but none of the module cache.
package overlay

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Tag is the build tag of files that amend: without the types that they amend they are no package.
const Tag = "gateway_overlay"

// Overlay is an amended copy of a module.
type Overlay struct {
	folder string
}

// BuildFlags make the go command use the copy.
func (o *Overlay) BuildFlags() []string {
	return []string{"-tags=" + Tag, "-modfile=" + filepath.Join(o.folder, "go.mod")}
}

// Close removes the copy.
func (o *Overlay) Close() error { return os.RemoveAll(o.folder) }

// Make copies a module, which the go.mod of the folder dir names, and amends it with the Go files of the folder from, each in
// the folder of its package.
func Make(dir, module, from string) (*Overlay, error) {
	listed, err := goCommand(dir, "list", "-m", "-f", "{{.Dir}}", module)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "overlay-")
	if err != nil {
		return nil, err
	}
	made := &Overlay{folder}
	if err := made.fill(dir, module, strings.TrimSpace(listed), from); err != nil {
		_ = made.Close()
		return nil, err
	}
	return made, nil
}

func (o *Overlay) fill(dir, module, original, from string) error {
	copied := filepath.Join(o.folder, "module")
	if err := copyGo(original, copied); err != nil {
		return err
	}
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		relative, err := filepath.Rel(from, filepath.Dir(path))
		if err != nil {
			return err
		}
		return amend(filepath.Join(copied, relative), path)
	})
	if err != nil {
		return err
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if name == "go.mod" {
			content = fmt.Appendf(content, "\nreplace %s => %s\n", module, copied)
		}
		if err := os.WriteFile(filepath.Join(o.folder, name), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// copyGo copies what a package is made of.
func copyGo(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, relative)
		if entry.IsDir() {
			return os.MkdirAll(target, 0o700)
		}
		if filepath.Ext(path) != ".go" && entry.Name() != "go.mod" {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, content, 0o600)
	})
}

func goCommand(dir string, args ...string) (string, error) {
	command := exec.Command("go", args...)
	command.Dir = dir
	command.Stderr = os.Stderr
	out, err := command.Output()
	return string(out), err
}
