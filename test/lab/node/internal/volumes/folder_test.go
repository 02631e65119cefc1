package volumes

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func mustWrite(t *testing.T, folder string, files Files) {
	t.Helper()
	if err := Write(folder, files, nil); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func names(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, entry := range entries {
		if entry.Name()[0] != '.' {
			out = append(out, entry.Name())
		}
	}
	return out
}

func data(t *testing.T, folder string) string {
	t.Helper()
	link, err := os.Readlink(filepath.Join(folder, dataLink))
	if err != nil {
		t.Fatal(err)
	}
	return link
}

func TestWrite(t *testing.T) {
	folder := t.TempDir()
	mustWrite(t, folder, Files{"a": {[]byte("1"), 0o644}, "deep/b": {[]byte("2"), 0o400}})
	if got := read(t, folder, "a") + read(t, folder, "deep/b"); got != "12" {
		t.Errorf("got %q", got)
	}
	info, err := os.Stat(filepath.Join(folder, "deep/b"))
	if err != nil || info.Mode().Perm() != 0o400 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	// A program that has the files open by the link sees the old ones to the end, or the new ones, never some of each.
	before := data(t, folder)
	mustWrite(t, folder, Files{"a": {[]byte("3"), 0o644}, "c": {[]byte("4"), 0o644}})
	if got := read(t, folder, "a") + read(t, folder, "c"); got != "34" {
		t.Errorf("got %q", got)
	}
	if got, want := names(t, folder), []string{"a", "c"}; !slices.Equal(got, want) {
		t.Errorf("shows %v, want %v", got, want)
	}
	if after := data(t, folder); after == before {
		t.Error("a change stands in the same folder as what was there before")
	}
	if _, err := os.Stat(filepath.Join(folder, before)); !os.IsNotExist(err) {
		t.Errorf("the old files are still there: %v", err)
	}
}

func TestWriteOfTheSameTouchesNothing(t *testing.T) {
	folder := t.TempDir()
	files := Files{"a": {[]byte("1"), 0o644}, "deep/b": {[]byte("2"), 0o644}}
	mustWrite(t, folder, files)
	before := data(t, folder)
	mustWrite(t, folder, files)
	if after := data(t, folder); after != before {
		t.Error("watchers are told of a change that is none")
	}
	mustWrite(t, folder, Files{"a": {[]byte("1"), 0o644}})
	if after := data(t, folder); after == before {
		t.Error("a file that is gone was not noticed")
	}
}

func TestAGroupMayRead(t *testing.T) {
	folder := t.TempDir()
	group := int64(os.Getgid())
	if err := Write(folder, Files{"key": {[]byte("secret"), 0o400}}, &group); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(folder, "key")); err != nil || info.Mode().Perm() != 0o440 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestWriteStaysInTheVolume(t *testing.T) {
	for _, path := range []string{"../a", "/a", "..data", "b/../../a", ""} {
		folder := filepath.Join(t.TempDir(), "volume")
		if err := Write(folder, Files{path: {[]byte("x"), 0o644}}, nil); err == nil {
			t.Errorf("%q was written", path)
		}
	}
}

func TestAnEmptyVolumeIsAFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "volume")
	mustWrite(t, folder, Files{})
	if got := names(t, folder); len(got) != 0 {
		t.Errorf("shows %v", got)
	}
}
