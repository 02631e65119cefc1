package container

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestDropCapabilities(t *testing.T) {
	const netBindService, netAdmin, netRaw, chown = 10, 12, 13, 0
	cases := []struct {
		name          string
		add, drop     []string
		without, with []int
	}{
		{"as runtimes do", nil, nil, []int{netAdmin}, []int{chown, netRaw, netBindService}},
		{"none", nil, []string{"ALL"}, []int{chown, netAdmin, netRaw, netBindService}, nil},
		{"one only", []string{"NET_BIND_SERVICE"}, []string{"ALL"}, []int{chown, netAdmin, netRaw}, []int{netBindService}},
		{"one less", nil, []string{"NET_RAW"}, []int{netRaw}, []int{chown, netBindService}},
		{"one more", []string{"NET_ADMIN"}, nil, nil, []int{chown, netAdmin, netRaw}},
		{"all", []string{"ALL"}, nil, nil, []int{chown, netAdmin, netRaw}},
	}
	for _, c := range cases {
		dropped := DropCapabilities(c.add, c.drop)
		for _, number := range c.without {
			if !slices.Contains(dropped, number) {
				t.Errorf("%s: capability %d is kept", c.name, number)
			}
		}
		for _, number := range c.with {
			if slices.Contains(dropped, number) {
				t.Errorf("%s: capability %d is dropped", c.name, number)
			}
		}
	}
}

func TestKeepLogs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "one.log")
	keep := KeepLogs(file)
	before := time.Now().UTC().Format(LogTime)
	keep(strings.NewReader("one\n\nthree, not ended"))
	keep(strings.NewReader("of the next run\n"))
	after := time.Now().UTC().Format(LogTime)
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for line := range strings.Lines(string(content)) {
		at, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if at < before || at > after {
			t.Errorf("%q is not between %s and %s", at, before, after)
		}
		texts = append(texts, text)
	}
	if want := []string{"one", "", "three, not ended", "of the next run"}; !slices.Equal(texts, want) {
		t.Errorf("got %q, want %q", texts, want)
	}
}

func TestExecutable(t *testing.T) {
	folder := t.TempDir()
	program := filepath.Join(folder, "program")
	if err := os.WriteFile(program, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(folder, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	env := []string{"HOME=/", "PATH=/nowhere:" + folder}
	for name, want := range map[string]string{"program": program, "folder": "folder", "other": "other", "./program": "./program"} {
		if got := executable(Spec{Args: []string{name}, Env: env}); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}
