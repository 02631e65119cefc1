package probes

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"

	corev1 "k8s.io/api/core/v1"
)

// serving is a HealthCheckResponse whose status is SERVING, as the message that gRPC frames.
var serving = []byte{0, 0, 0, 0, 2, 0x08, 1}

// grpc asks the standard health service. One call of a message with one string field needs no library.
// https://github.com/grpc/grpc/blob/master/doc/health-checking.md
func (t Target) grpc(ctx context.Context, action *corev1.GRPCAction) error {
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: &protocols}
	defer transport.CloseIdleConnections()

	service := ""
	if action.Service != nil {
		service = *action.Service
	}
	where := net.JoinHostPort(t.Address, strconv.Itoa(int(action.Port)))
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+where+"/grpc.health.v1.Health/Check",
		bytes.NewReader(healthRequest(service)))
	if err != nil {
		return err
	}
	request.Header.Set("content-type", "application/grpc")
	request.Header.Set("te", "trailers")
	response, err := transport.RoundTrip(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 1<<10))
	if err != nil {
		return err
	}
	// Trailers are there once the body has been read; an answer without a body has them as headers.
	status := response.Trailer.Get("grpc-status")
	if status == "" {
		status = response.Header.Get("grpc-status")
	}
	if status != "0" {
		return fmt.Errorf("the answer is HTTP %d, gRPC status %q", response.StatusCode, status)
	}
	if !bytes.Equal(body, serving) {
		return fmt.Errorf("service %q is not serving", service)
	}
	return nil
}

// healthRequest is a HealthCheckRequest in a gRPC frame: not compressed, length, field 1 of type string.
func healthRequest(service string) []byte {
	var message []byte
	if service != "" {
		message = append(message, 0x0a)
		message = binary.AppendUvarint(message, uint64(len(service)))
		message = append(message, service...)
	}
	return append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message))), message...)
}
