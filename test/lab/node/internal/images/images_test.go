package images

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func write(t *testing.T, file, content string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestFindTakesTheFirstMatch(t *testing.T) {
	file := write(t, filepath.Join(t.TempDir(), "images.json"), `[
		{"match": "echo", "entrypoint": ["/echo"], "user": "7"},
		{"match": "echo-other", "entrypoint": ["/other"]}
	]`)
	image, err := Find(file, "registry.example/echo-other:v1")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(image.Entrypoint, []string{"/echo"}) || image.User.UID != 7 {
		t.Errorf("got %+v", image)
	}
}

func TestFindRefuses(t *testing.T) {
	folder := t.TempDir()
	cases := map[string]struct{ content, says string }{
		"unknown":       {`[{"match": "echo"}]`, `no entry of`},
		"no match text": {`[{"match": ""}]`, `no entry of`},
		"no JSON":       {`[`, `unexpected end of JSON`},
		"no config":     {`[{"match": "web", "config": "/nowhere/config.json"}]`, `/nowhere/config.json`},
		"unknown user":  {`[{"match": "web", "root": "/nowhere", "user": "nobody-here"}]`, `user "nobody-here" is not in /nowhere/etc/passwd`},
	}
	for name, c := range cases {
		_, err := Find(write(t, filepath.Join(folder, "images.json"), c.content), "web:v1")
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want an error with %q", name, err, c.says)
		}
	}
}

func TestAnImageWithRootAndConfig(t *testing.T) {
	folder := t.TempDir()
	root := filepath.Join(folder, "rootfs")
	write(t, filepath.Join(root, "etc/passwd"), "root:x:0:0::/:\napp:x:1000:1001::/:\n")
	write(t, filepath.Join(root, "etc/group"), "root:x:0:\napp:x:1001:\nweb:x:1002:\n")
	config := write(t, filepath.Join(folder, "config.json"), `{"architecture": "amd64", "config": {
		"User": "app:web", "Env": ["PATH=/app/bin:/usr/bin", "MODE=production=yes"],
		"Entrypoint": ["/app/run"], "Cmd": ["serve"], "WorkingDir": "/app"}}`)
	file := write(t, filepath.Join(folder, "images.json"),
		`[{"match": "app", "root": "`+root+`", "config": "`+config+`", "env": {"MODE": "test"}}]`)

	image, err := Find(file, "app:v1")
	if err != nil {
		t.Fatal(err)
	}
	if image.Root != root || image.WorkingDir != "/app" {
		t.Errorf("root %s, working directory %s", image.Root, image.WorkingDir)
	}
	if !slices.Equal(image.Entrypoint, []string{"/app/run"}) || !slices.Equal(image.Command, []string{"serve"}) {
		t.Errorf("entry point %v, command %v", image.Entrypoint, image.Command)
	}
	if want := map[string]string{"PATH": "/app/bin:/usr/bin", "MODE": "test"}; !maps.Equal(image.Env, want) {
		t.Errorf("env %v, want %v", image.Env, want)
	}
	if want := (User{UID: 1000, GID: 1002}); image.User != want {
		t.Errorf("user %v, want %v", image.User, want)
	}
}

func TestAnEntryPointOfTheEntryHasNoCommandOfTheConfig(t *testing.T) {
	folder := t.TempDir()
	config := write(t, filepath.Join(folder, "config.json"), `{"config": {"Entrypoint": ["/app/run"], "Cmd": ["serve"]}}`)
	file := write(t, filepath.Join(folder, "images.json"),
		`[{"match": "app", "config": "`+config+`", "entrypoint": ["/bin/sh"]}]`)
	image, err := Find(file, "app:v1")
	if err != nil {
		t.Fatal(err)
	}
	if len(image.Command) != 0 {
		t.Errorf("command %v", image.Command)
	}
}

func TestParseUser(t *testing.T) {
	folder := t.TempDir()
	passwd := write(t, filepath.Join(folder, "passwd"), "app:x:1000:1001::/:\n")
	group := write(t, filepath.Join(folder, "group"), "web:x:1002:\n")
	cases := map[string]User{
		"":          {},
		"0":         {},
		"65532":     {UID: 65532},
		"1000":      {UID: 1000, GID: 1001},
		"5:6":       {UID: 5, GID: 6},
		"app":       {UID: 1000, GID: 1001},
		"app:web":   {UID: 1000, GID: 1002},
		"65532:web": {UID: 65532, GID: 1002},
	}
	for text, want := range cases {
		got, err := ParseUser(text, passwd, group)
		if err != nil || got != want {
			t.Errorf("%q: got %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"other", "app:other"} {
		if got, err := ParseUser(text, passwd, group); err == nil {
			t.Errorf("%q: got %v, want an error", text, got)
		}
	}
}
