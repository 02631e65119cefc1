package suite

import (
	"bytes"
	"io/fs"
	"time"
)

// named is files that say BUNDLE where a name is to be.
type named struct {
	fs.ReadFileFS
	name string
}

func (n named) Open(path string) (fs.File, error) {
	content, err := n.ReadFile(path)
	if err != nil {
		return nil, err
	}
	content = bytes.ReplaceAll(content, []byte("BUNDLE"), []byte(n.name))
	return &memoryFile{bytes.NewReader(content), path}, nil
}

func (n named) ReadFile(path string) ([]byte, error) {
	content, err := n.ReadFileFS.ReadFile(path)
	return bytes.ReplaceAll(content, []byte("BUNDLE"), []byte(n.name)), err
}

type memoryFile struct {
	*bytes.Reader
	path string
}

func (f *memoryFile) Close() error               { return nil }
func (f *memoryFile) Stat() (fs.FileInfo, error) { return f, nil }
func (f *memoryFile) Name() string               { return f.path }
func (f *memoryFile) Mode() fs.FileMode          { return 0o444 }
func (f *memoryFile) ModTime() time.Time         { return time.Time{} }
func (f *memoryFile) IsDir() bool                { return false }
func (f *memoryFile) Sys() any                   { return nil }
