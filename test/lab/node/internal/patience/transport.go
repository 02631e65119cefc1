// Package patience lets clients wait for a server that is started anew.
package patience

import (
	"errors"
	"net/http"
	"syscall"
	"time"
)

const (
	retryEvery = 200 * time.Millisecond
	giveUp     = time.Minute
)

// Transport waits while nobody listens. Otherwise each watch would meet that as an error of its own, and client-go answers a few
// of those in a row with pauses of up to a minute.
type Transport struct{ Next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t Transport) RoundTrip(request *http.Request) (*http.Response, error) {
	deadline := time.Now().Add(giveUp)
	for {
		response, err := t.Next.RoundTrip(request)
		// Nobody has seen the request, so it can be made again whatever it is.
		if !errors.Is(err, syscall.ECONNREFUSED) || time.Now().After(deadline) {
			return response, err
		}
		if request.Body != nil {
			if request.GetBody == nil {
				return nil, err
			}
			body, bodyErr := request.GetBody()
			if bodyErr != nil {
				return nil, err
			}
			request = request.Clone(request.Context())
			request.Body = body
		}
		select {
		case <-request.Context().Done():
			return nil, err
		case <-time.After(retryEvery):
		}
	}
}
