package kubelet

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strconv"
	"time"

	"k8s.io/cri-streaming/pkg/streaming/remotecommand"

	"gatewright.dev/lab/node/internal/container"
)

// Port is where a kubelet listens.
const Port = 10250

// Container is one that can be asked for.
type Container struct {
	LogFile string
	// Process is nil while the container does not run.
	Process *container.Process
}

// Containers finds those of this node.
type Containers interface {
	Find(namespace, pod, container string) (Container, error)
}

// Serve answers the API server.
func Serve(address netip.Addr, containers Containers) error {
	certificate, err := selfSigned(address)
	if err != nil {
		return err
	}
	server := &http.Server{
		Addr:      net.JoinHostPort(address.String(), strconv.Itoa(Port)),
		Handler:   handler(containers),
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}},
	}
	return fmt.Errorf("kubelet's API: %w", server.ListenAndServeTLS("", ""))
}

func handler(containers Containers) http.Handler {
	find := func(r *http.Request) (Container, error) {
		return containers.Find(r.PathValue("namespace"), r.PathValue("pod"), r.PathValue("container"))
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /containerLogs/{namespace}/{pod}/{container}", func(w http.ResponseWriter, r *http.Request) {
		found, err := find(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		serveLog(w, r, found)
	})
	mux.HandleFunc("/exec/{namespace}/{pod}/{container}", func(w http.ResponseWriter, r *http.Request) {
		found, err := find(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		serveExec(w, r, found)
	})
	return mux
}

func serveLog(w http.ResponseWriter, r *http.Request, found Container) {
	options, err := ParseLogOptions(r.URL.Query(), time.Now())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	file, err := os.Open(found.LogFile)
	if err != nil {
		http.Error(w, "the container has not printed anything yet", http.StatusNotFound)
		return
	}
	defer file.Close()
	controller := http.NewResponseController(w)
	// The reader is gone.
	_ = CopyLog(r.Context(), file, options, w, func() { _ = controller.Flush() })
}

func serveExec(w http.ResponseWriter, r *http.Request, found Container) {
	if found.Process == nil {
		http.Error(w, "the container is not running", http.StatusConflict)
		return
	}
	options, err := remotecommand.NewOptions(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	const idle, creation = 4 * time.Hour, 30 * time.Second
	remotecommand.ServeExec(w, r, executor{found.Process}, r.PathValue("pod"), "", r.PathValue("container"),
		r.URL.Query()["command"], options, idle, creation, remotecommand.SupportedStreamingProtocols)
}

// selfSigned makes a certificate: the API server does not verify those of kubelets unless told to.
func selfSigned(address netip.Addr) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "node"}, IPAddresses: []net.IP{address.AsSlice()},
		NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(1, 0, 0),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}
