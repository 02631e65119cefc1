package probes

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Target is a container that can be asked.
type Target struct {
	Address string
	Ports   []corev1.ContainerPort
	// Command prepares a program in the container.
	Command func(ctx context.Context, args []string) *exec.Cmd
}

// Probe asks once. An error says what is wrong.
func (t Target) Probe(ctx context.Context, probe *corev1.Probe) error {
	ctx, cancel := context.WithTimeout(ctx, seconds(max(probe.TimeoutSeconds, 1)))
	defer cancel()
	switch {
	case probe.GRPC != nil:
		return t.grpc(ctx, probe.GRPC)
	case probe.HTTPGet != nil:
		return t.HTTPGet(ctx, probe.HTTPGet)
	case probe.TCPSocket != nil:
		return t.dial(ctx, probe.TCPSocket)
	case probe.Exec != nil:
		return t.Exec(ctx, probe.Exec)
	}
	return fmt.Errorf("the probe is of a kind that this node does not know")
}

func seconds(count int32) time.Duration { return time.Duration(count) * time.Second }

// As a kubelet does, certificates are not verified and redirects count as success.
var client = &http.Client{
	Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}},
	CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	},
}

// HTTPGet makes one request.
func (t Target) HTTPGet(ctx context.Context, action *corev1.HTTPGetAction) error {
	request, err := t.request(ctx, action)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<16))
	if response.StatusCode < 200 || response.StatusCode >= 400 {
		return fmt.Errorf("the answer is %s", response.Status)
	}
	return nil
}

func (t Target) request(ctx context.Context, action *corev1.HTTPGetAction) (*http.Request, error) {
	port, err := t.port(action.Port)
	if err != nil {
		return nil, err
	}
	host := action.Host
	if host == "" {
		host = t.Address
	}
	scheme := strings.ToLower(string(action.Scheme))
	if scheme == "" {
		scheme = "http"
	}
	// The path may carry a query.
	target, err := url.Parse(scheme + "://" + net.JoinHostPort(host, port) + "/" + strings.TrimPrefix(action.Path, "/"))
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return nil, err
	}
	for _, header := range action.HTTPHeaders {
		request.Header.Add(header.Name, header.Value)
		if strings.EqualFold(header.Name, "host") {
			request.Host = header.Value
		}
	}
	return request, nil
}

func (t Target) dial(ctx context.Context, action *corev1.TCPSocketAction) error {
	port, err := t.port(action.Port)
	if err != nil {
		return err
	}
	host := action.Host
	if host == "" {
		host = t.Address
	}
	connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return err
	}
	return connection.Close()
}

// Exec runs a command; it must end well.
func (t Target) Exec(ctx context.Context, action *corev1.ExecAction) error {
	output, err := t.Command(ctx, action.Command).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(output[:min(len(output), 200)])))
	}
	return nil
}

func (t Target) port(port intstr.IntOrString) (string, error) {
	if port.Type == intstr.Int {
		return strconv.Itoa(port.IntValue()), nil
	}
	for _, known := range t.Ports {
		if known.Name == port.StrVal {
			return strconv.Itoa(int(known.ContainerPort)), nil
		}
	}
	if _, err := strconv.Atoi(port.StrVal); err == nil {
		return port.StrVal, nil
	}
	return "", fmt.Errorf("the container has no port named %q", port.StrVal)
}
