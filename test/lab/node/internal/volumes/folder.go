// Package volumes fills the volumes of a pod.
package volumes

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// File is one of a volume's: content and permissions.
type File struct {
	Content []byte
	Mode    os.FileMode
}

// Files are those of a volume by their paths in it.
type Files map[string]File

// The names that a kubelet uses, as programs know them: watchers of files look for a change of this link.
const (
	dataLink    = "..data"
	newDataLink = "..data_tmp"
)

// Write makes a folder show these files, all of them changed at once: they stand in a folder of their own, to which a link points,
// and a change puts the link on another folder. Does nothing if they stand there already. With a group, that is who may read them.
func Write(folder string, files Files, group *int64) error {
	for path := range files {
		if !filepath.IsLocal(path) || strings.HasPrefix(path, "..") {
			return fmt.Errorf("%q is no path within a volume", path)
		}
	}
	old, _ := os.Readlink(filepath.Join(folder, dataLink))
	if old != "" && same(filepath.Join(folder, old), files) {
		return nil
	}
	version := "..v_" + strconv.FormatInt(time.Now().UnixNano(), 36)
	if err := os.MkdirAll(filepath.Join(folder, version), 0o755); err != nil {
		return err
	}
	for path, file := range files {
		if err := writeFile(filepath.Join(folder, version, path), file, group); err != nil {
			return err
		}
	}
	if err := pointTo(folder, version); err != nil {
		return err
	}
	if err := linkTops(folder, files); err != nil {
		return err
	}
	if old != "" {
		return os.RemoveAll(filepath.Join(folder, old))
	}
	return nil
}

func writeFile(path string, file File, group *int64) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path, file.Content, 0o600); err != nil {
		return err
	}
	mode := file.Mode
	if group != nil {
		if err := os.Chown(path, -1, int(*group)); err != nil {
			return err
		}
		mode |= 0o440
	}
	// Not by WriteFile, which heeds the umask.
	return os.Chmod(path, mode)
}

func pointTo(folder, version string) error {
	link := filepath.Join(folder, newDataLink)
	if err := os.Remove(link); err != nil && !os.IsNotExist(err) {
		return err
	}
	if err := os.Symlink(version, link); err != nil {
		return err
	}
	return os.Rename(link, filepath.Join(folder, dataLink))
}

// linkTops makes the first parts of all paths links into the data, and removes those that nothing is behind any more.
func linkTops(folder string, files Files) error {
	tops := map[string]bool{}
	for path := range files {
		top, _, _ := strings.Cut(path, "/")
		tops[top] = true
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasPrefix(name, "..") && !tops[name] {
			if err := os.Remove(filepath.Join(folder, name)); err != nil {
				return err
			}
		}
	}
	for top := range tops {
		err := os.Symlink(filepath.Join(dataLink, top), filepath.Join(folder, top))
		if err != nil && !os.IsExist(err) {
			return err
		}
	}
	return nil
}

func same(folder string, files Files) bool {
	count := 0
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		count++
		relative, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, wanted := files[relative]
		if !wanted || !bytes.Equal(content, file.Content) {
			return os.ErrInvalid
		}
		return nil
	})
	return err == nil && count == len(files)
}
