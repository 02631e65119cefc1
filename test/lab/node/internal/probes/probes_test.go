package probes

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func TestTracker(t *testing.T) {
	probe := &corev1.Probe{SuccessThreshold: 2, FailureThreshold: 3}
	tracker := NewTracker(probe, false)
	for i, step := range []struct{ success, ok, changed bool }{
		{true, false, false}, {false, false, false}, {true, false, false}, {true, true, true},
		{false, true, false}, {false, true, false}, {true, true, false},
		{false, true, false}, {false, true, false}, {false, false, true}, {false, false, false},
	} {
		if ok, changed := tracker.Observe(step.success); ok != step.ok || changed != step.changed {
			t.Errorf("probe %d: got ok %v, changed %v", i, ok, changed)
		}
	}
	if !tracker.Failing() {
		t.Error("four failures in a row are not enough for a threshold of three")
	}
	if NewTracker(probe, false).Failing() {
		t.Error("nobody has failed before the first probe")
	}
}

func port(t *testing.T, address string) int {
	t.Helper()
	_, text, err := net.SplitHostPort(strings.TrimPrefix(strings.TrimPrefix(address, "http://"), "https://"))
	if err != nil {
		t.Fatal(err)
	}
	number, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return number
}

func probeHTTP(scheme corev1.URIScheme, port intstr.IntOrString, path string) *corev1.Probe {
	headers := []corev1.HTTPHeader{{Name: "Host", Value: "well.example"}, {Name: "X-Check", Value: "1"}}
	return &corev1.Probe{ProbeHandler: corev1.ProbeHandler{
		HTTPGet: &corev1.HTTPGetAction{Scheme: scheme, Port: port, Path: path, HTTPHeaders: headers},
	}}
}

func TestHTTP(t *testing.T) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Host != "well.example" || r.Header.Get("x-check") != "1":
			w.WriteHeader(http.StatusBadRequest)
		case r.URL.Path == "/moved":
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
		case r.URL.Path != "/ready" || r.URL.RawQuery != "deep=1":
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	plain, encrypted := httptest.NewServer(handler), httptest.NewTLSServer(handler)
	defer plain.Close()
	defer encrypted.Close()
	target := Target{Address: "127.0.0.1", Ports: []corev1.ContainerPort{{Name: "web", ContainerPort: int32(port(t, plain.URL))}}}

	for name, c := range map[string]struct {
		probe *corev1.Probe
		well  bool
	}{
		"by number":        {probeHTTP("", intstr.FromInt(port(t, plain.URL)), "/ready?deep=1"), true},
		"by name":          {probeHTTP("HTTP", intstr.FromString("web"), "ready?deep=1"), true},
		"encrypted":        {probeHTTP("HTTPS", intstr.FromInt(port(t, encrypted.URL)), "/ready?deep=1"), true},
		"redirected":       {probeHTTP("", intstr.FromString("web"), "/moved"), true},
		"unwell":           {probeHTTP("", intstr.FromString("web"), "/other"), false},
		"no such port":     {probeHTTP("", intstr.FromString("none"), "/ready?deep=1"), false},
		"wrong protocol":   {probeHTTP("HTTPS", intstr.FromString("web"), "/ready?deep=1"), false},
		"nothing to do":    {&corev1.Probe{}, false},
		"a socket":         {&corev1.Probe{ProbeHandler: corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromString("web")}}}, true},
		"a missing socket": {&corev1.Probe{ProbeHandler: corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt(1)}}}, false},
	} {
		if err := target.Probe(t.Context(), c.probe); (err == nil) != c.well {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestExec(t *testing.T) {
	target := Target{Command: func(ctx context.Context, args []string) *exec.Cmd {
		return exec.CommandContext(ctx, args[0], args[1:]...)
	}}
	probe := func(script string) *corev1.Probe {
		return &corev1.Probe{ProbeHandler: corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{"/bin/sh", "-c", script}}}}
	}
	if err := target.Probe(t.Context(), probe("exit 0")); err != nil {
		t.Error(err)
	}
	if err := target.Probe(t.Context(), probe("echo not yet; exit 3")); err == nil || !strings.Contains(err.Error(), "exit status 3: not yet") {
		t.Errorf("got %v", err)
	}
}

// health answers as a gRPC server with two services, of which one is not serving.
func health(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("content-type", "application/grpc")
	w.Header().Set("trailer", "grpc-status")
	service := ""
	if len(body) > 7 {
		service = string(body[7:])
	}
	switch {
	case r.URL.Path != "/grpc.health.v1.Health/Check" || r.ProtoMajor != 2:
		w.Header().Set("grpc-status", "12")
	case service == "":
		_, _ = w.Write(serving)
		w.Header().Set("grpc-status", "0")
	case service == "tired":
		_, _ = w.Write([]byte{0, 0, 0, 0, 2, 0x08, 2})
		w.Header().Set("grpc-status", "0")
	default:
		w.Header().Set("grpc-status", "5")
	}
}

func TestGRPC(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(health))
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	defer server.Close()
	target := Target{Address: "127.0.0.1"}
	for service, want := range map[string]string{
		"": "", "tired": `service "tired" is not serving`, "unknown": `the answer is HTTP 200, gRPC status "5"`,
	} {
		action := &corev1.GRPCAction{Port: int32(port(t, server.URL)), Service: &service}
		err := target.Probe(t.Context(), &corev1.Probe{ProbeHandler: corev1.ProbeHandler{GRPC: action}})
		if err == nil && want != "" || err != nil && err.Error() != want {
			t.Errorf("service %q: got %v, want %q", service, err, want)
		}
	}
}

// failing is a container that never says that it is well.
var failing = Target{Command: func(ctx context.Context, args []string) *exec.Cmd { return exec.CommandContext(ctx, "/bin/false") }}

func askFailing(period int32) *corev1.Probe {
	return &corev1.Probe{PeriodSeconds: period, ProbeHandler: corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{"x"}}}}
}

func TestWatchEndsWhenToldSo(t *testing.T) {
	asked := 0
	WatchEagerly(t.Context(), askFailing(1000), failing, func(err error) bool {
		asked++
		return err != nil && asked < 2
	})
	if asked != 2 {
		t.Errorf("asked %d times", asked)
	}
}

// A container that takes its time to start would be ended by the first failures, were they counted at our pace.
func TestLivenessIsAskedAtItsOwnPace(t *testing.T) {
	first, patient := make(chan struct{}), 0
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-first
		asked := 0
		WatchEagerly(t.Context(), askFailing(1000), failing, func(error) bool {
			asked++
			return asked < 3
		})
		cancel()
	}()
	Watch(ctx, askFailing(1000), failing, func(error) bool {
		if patient++; patient == 1 {
			close(first)
		}
		return true
	})
	if patient != 1 {
		t.Errorf("asked %d times while an eager one asked three times", patient)
	}
}
