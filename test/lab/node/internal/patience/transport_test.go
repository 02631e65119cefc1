package patience

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
)

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

func post(t *testing.T, ctx context.Context, next roundTripper) (*http.Response, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://server/", strings.NewReader("body"))
	if err != nil {
		t.Fatal(err)
	}
	return Transport{next}.RoundTrip(request)
}

func TestItWaitsWhileNobodyListens(t *testing.T) {
	tries := 0
	response, err := post(t, t.Context(), func(request *http.Request) (*http.Response, error) {
		tries++
		body, _ := io.ReadAll(request.Body)
		if string(body) != "body" {
			t.Errorf("try %d sends %q", tries, body)
		}
		if tries < 3 {
			return nil, &wrapped{syscall.ECONNREFUSED}
		}
		return &http.Response{StatusCode: 201}, nil
	})
	if err != nil || response.StatusCode != 201 || tries != 3 {
		t.Errorf("got %v, %v after %d tries", response, err, tries)
	}
}

func TestItPassesOnAllOtherErrors(t *testing.T) {
	tries := 0
	_, err := post(t, t.Context(), func(*http.Request) (*http.Response, error) {
		tries++
		return nil, io.ErrUnexpectedEOF
	})
	if !errors.Is(err, io.ErrUnexpectedEOF) || tries != 1 {
		t.Errorf("got %v after %d tries", err, tries)
	}
}

func TestItEndsWithTheRequest(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	_, err := post(t, ctx, func(*http.Request) (*http.Response, error) {
		cancel()
		return nil, syscall.ECONNREFUSED
	})
	if !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("got %v", err)
	}
}

type wrapped struct{ err error }

func (w *wrapped) Error() string { return "dial: " + w.err.Error() }
func (w *wrapped) Unwrap() error { return w.err }
