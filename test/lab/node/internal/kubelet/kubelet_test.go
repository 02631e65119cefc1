package kubelet

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	utilexec "k8s.io/utils/exec"
)

var logged = strings.Join([]string{
	"2026-01-02T03:04:05.000000000Z one",
	"2026-01-02T03:04:06.500000000Z two, with words",
	"2026-01-02T03:04:07.000000000Z ",
	"2026-01-02T03:04:08.000000000Z four", "",
}, "\n")

func copied(t *testing.T, query string) string {
	t.Helper()
	values, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	options, err := ParseLogOptions(values, time.Date(2026, 1, 2, 3, 4, 9, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := CopyLog(t.Context(), strings.NewReader(logged), options, &out, func() {}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestLog(t *testing.T) {
	for query, want := range map[string]string{
		"tailLines=0":                    "",
		"tailLines=1":                    "four\n",
		"tailLines=9&sinceSeconds=1":     "four\n",
		"sinceTime=2026-01-02T03:04:08Z": "four\n",
		// In whole seconds, of another zone.
		"sinceTime=2026-01-02T04:04:07%2B01:00&tailLines=1": "four\n",
		"sinceTime=2026-01-02T03:04:06Z&tailLines=3":        "two, with words\n\nfour\n",
		"timestamps=true&tailLines=1":                       "2026-01-02T03:04:08.000000000Z four\n",
	} {
		if got := copied(t, query); got != want {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
	if got := strings.Count(copied(t, ""), "\n"); got != 4 {
		t.Errorf("all: got %d lines", got)
	}
}

func TestLogOptionsRefuse(t *testing.T) {
	for _, query := range []string{"sinceTime=yesterday", "sinceSeconds=x", "tailLines=x"} {
		values, _ := url.ParseQuery(query)
		if _, err := ParseLogOptions(values, time.Now()); err == nil {
			t.Errorf("%s was accepted", query)
		}
	}
}

func TestFollow(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	reader, err := os.Open(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	write := func(text string) {
		if _, err := file.WriteString(text); err != nil {
			t.Error(err)
		}
	}
	write("2026-01-02T03:04:05.000000000Z one\n2026-01-02T03:04:05.000000000Z tw")

	ctx, cancel := context.WithCancel(t.Context())
	seen, out := io.Pipe()
	ended := make(chan error)
	go func() { ended <- CopyLog(ctx, reader, LogOptions{Tail: -1, Follow: true}, out, func() {}) }()
	expect := func(want string) {
		t.Helper()
		got := make([]byte, len(want))
		if _, err := io.ReadFull(seen, got); err != nil || string(got) != want {
			t.Errorf("got %q, %v; want %q", got, err, want)
		}
	}
	expect("one\n")
	// A line is shown when it is whole.
	write("o\n")
	expect("two\n")
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

type nothing struct{}

func (nothing) Find(_, _, container string) (Container, error) {
	if container == "asleep" {
		return Container{LogFile: "/nowhere/log"}, nil
	}
	return Container{}, errors.New("none")
}

func TestServerRefuses(t *testing.T) {
	for path, want := range map[string]int{
		"/containerLogs/shop/web/none":                 404,
		"/containerLogs/shop/web/asleep":               404,
		"/containerLogs/shop/web/asleep?tailLines=few": 400,
		"/exec/shop/web/none?command=ls":               404,
		"/exec/shop/web/asleep?command=ls":             409,
		"/pods":                                        404,
	} {
		recorder := httptest.NewRecorder()
		handler(nothing{}).ServeHTTP(recorder, httptest.NewRequest("GET", path, nil))
		if recorder.Code != want {
			t.Errorf("%s: got %d, want %d", path, recorder.Code, want)
		}
	}
}

func TestRun(t *testing.T) {
	var out, errOut bytes.Buffer
	script := `read line; echo "got $line"; echo bad >&2; exit 3`
	// The client keeps its side open: that must not keep the program from being waited for.
	in, keptOpen := io.Pipe()
	defer keptOpen.Close()
	go func() { _, _ = io.WriteString(keptOpen, "hello\n") }()
	err := run(exec.Command("/bin/sh", "-c", script), in, &out, &errOut)
	var exit utilexec.CodeExitError
	if !errors.As(err, &exit) || exit.Code != 3 {
		t.Errorf("got %v", err)
	}
	if out.String() != "got hello\n" || errOut.String() != "bad\n" {
		t.Errorf("got %q and %q", out.String(), errOut.String())
	}
	if err := run(exec.Command("/bin/sh", "-c", "kill -9 $$"), nil, &out, &errOut); !errors.As(err, &exit) || exit.Code != 137 {
		t.Errorf("killed: got %v", err)
	}
}
