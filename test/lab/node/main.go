// The node agent of the lab: it registers a node with an API server and runs the node's pods as processes of this host, each pod in a
// network namespace and each container in mount, process, IPC and host name namespaces of its own. There are no images: a file
// says which files of the host stand for each.
package main

import (
	"context"
	"flag"
	"log"
	"net/http"
	"net/netip"
	"os"
	"os/signal"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"gatewright.dev/lab/node/internal/addresses"
	"gatewright.dev/lab/node/internal/balancer"
	"gatewright.dev/lab/node/internal/container"
	"gatewright.dev/lab/node/internal/dns"
	"gatewright.dev/lab/node/internal/kubelet"
	"gatewright.dev/lab/node/internal/patience"
	"gatewright.dev/lab/node/internal/pods"
	"gatewright.dev/lab/node/internal/podspec"
	"gatewright.dev/lab/node/internal/registration"
)

// The first addresses of the pods' network are those of the node and of whatever the lab adds to it.
const firstPodAddress = 16

type settings struct {
	kubeconfig, name, address, apiServer, podNetwork, balancerNetwork, images, folder string
	maxGrace                                                                          time.Duration
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == container.InitCommand {
		container.Init()
	}
	log.SetFlags(log.LstdFlags | log.Lmicroseconds)
	var s settings
	flag.StringVar(&s.kubeconfig, "kubeconfig", "", "how to reach the API server")
	flag.StringVar(&s.name, "name", "node", "name of the node")
	flag.StringVar(&s.address, "address", "", "IPv4 address of the node, also of the cluster's DNS")
	flag.StringVar(&s.apiServer, "api-server", "", "address of the Service kubernetes")
	flag.StringVar(&s.podNetwork, "pod-network", "", "network of the pods")
	flag.StringVar(&s.balancerNetwork, "balancer-network", "", "network of the addresses of Services of type LoadBalancer")
	flag.StringVar(&s.images, "images", "", "file that says what stands for which image")
	flag.StringVar(&s.folder, "folder", "", "folder for the files of pods")
	flag.DurationVar(&s.maxGrace, "max-grace", 0, "bound of the time that pods may take to end; 0: as long as they ask for")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if err := run(ctx, s); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, s settings) error {
	address, err := netip.ParseAddr(s.address)
	if err != nil {
		return err
	}
	podPool, err := addresses.NewPool(s.podNetwork, firstPodAddress)
	if err != nil {
		return err
	}
	balancerPool, err := addresses.NewPool(s.balancerNetwork, 1)
	if err != nil {
		return err
	}
	client, err := connect(s.kubeconfig)
	if err != nil {
		return err
	}
	// Nothing is left of pods of an earlier run: their processes ended with it.
	if err := os.RemoveAll(s.folder); err != nil {
		return err
	}
	if err := os.MkdirAll(s.folder, 0o755); err != nil {
		return err
	}
	manager := pods.NewManager(pods.Options{
		Client: client, Folder: s.folder, ImagesFile: s.images, NodeName: s.name, NodeIP: address,
		Node: podspec.Node{ClusterDNS: s.address, APIServer: s.apiServer}, Addresses: podPool, MaxGrace: s.maxGrace,
	})

	all := informers.NewSharedInformerFactory(client, 0)
	services, slices := all.Core().V1().Services().Informer(), all.Discovery().V1().EndpointSlices().Informer()
	own := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTweakListOptions(func(o *metav1.ListOptions) {
		o.FieldSelector = fields.OneTermEqualSelector("spec.nodeName", s.name).String()
	}))

	failed := make(chan error, 3)
	go func() { failed <- kubelet.Serve(address, manager) }()
	go func() { failed <- dns.Serve(s.address, dns.Services(services.GetStore(), slices.GetStore())) }()
	go func() { failed <- balancer.Run(ctx, client, services, balancerPool) }()

	registration.Register(ctx, client, registration.Node(s.name, address, time.Now()))
	go registration.Heartbeat(ctx, client, s.name)
	all.Start(ctx.Done())
	if _, err := own.Core().V1().Pods().Informer().AddEventHandler(manager.Handler()); err != nil {
		return err
	}
	own.Start(ctx.Done())
	select {
	case <-ctx.Done():
		return nil
	case err := <-failed:
		return err
	}
}

func connect(kubeconfig string) (kubernetes.Interface, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = 500, 1000
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return patience.Transport{Next: next} })
	config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	return kubernetes.NewForConfig(config)
}
