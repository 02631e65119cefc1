package pods

import (
	"context"
	"log"
	"net/netip"
	"os"
	"path/filepath"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"gatewright.dev/lab/node/internal/container"
	"gatewright.dev/lab/node/internal/podspec"
	"gatewright.dev/lab/node/internal/podstatus"
	"gatewright.dev/lab/node/internal/sandbox"
)

// How long the address of a pod rests, so that nobody's connection to the old pod meets a new one.
const addressRest = 30 * time.Second

// member is a container of a pod over all its runs.
type member struct {
	spec    *corev1.Container
	logFile string
	// The rest is guarded by the worker's mutex.
	state   podstatus.Container
	running *container.Process
}

// worker runs one pod from its creation to its end.
type worker struct {
	options   Options
	folder    string
	startedAt time.Time
	members   []*member
	tokens    tokens

	// ctx ends when the pod is to end; sidecars, also when all other containers have ended for good.
	ctx      context.Context
	stop     context.CancelFunc
	sidecars context.Context
	// hurry ends when the pod is to end without grace.
	hurry   context.Context
	stopNow context.CancelFunc
	dirty   chan struct{}
	// supervisors are the goroutines that run containers, regulars those of regular ones.
	supervisors, regulars sync.WaitGroup

	mu          sync.Mutex
	pod         *corev1.Pod
	address     netip.Addr
	sandbox     *sandbox.Sandbox
	initialized bool
	initFailed  bool
}

func newWorker(options Options, pod *corev1.Pod) *worker {
	w := &worker{
		options: options, pod: pod, startedAt: time.Now(),
		folder: filepath.Join(options.Folder, string(pod.UID)),
		dirty:  make(chan struct{}, 1),
	}
	w.hurry, w.stopNow = context.WithCancel(context.Background())
	w.ctx, w.stop = context.WithCancel(w.hurry)
	add := func(spec *corev1.Container, kind podstatus.Kind, reason string) {
		w.members = append(w.members, &member{
			spec: spec, logFile: filepath.Join(w.folder, "logs", spec.Name+".log"),
			state: podstatus.Container{Name: spec.Name, Image: spec.Image, Kind: kind, Waiting: waiting(reason, "")},
		})
	}
	for i := range pod.Spec.InitContainers {
		spec := &pod.Spec.InitContainers[i]
		kind := podstatus.Init
		if spec.RestartPolicy != nil && *spec.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			kind = podstatus.Sidecar
		}
		add(spec, kind, "PodInitializing")
	}
	for i := range pod.Spec.Containers {
		add(&pod.Spec.Containers[i], podstatus.Regular, "ContainerCreating")
	}
	return w
}

func waiting(reason, message string) *corev1.ContainerStateWaiting {
	return &corev1.ContainerStateWaiting{Reason: reason, Message: message}
}

// run returns when the pod has ended and nothing is left of it on this node.
func (w *worker) run() {
	reported := make(chan struct{})
	go func() {
		defer close(reported)
		w.report()
	}()
	if err := w.setUp(); err != nil && w.ctx.Err() == nil {
		log.Printf("%s: %v", w, err)
	}
	<-w.ctx.Done()
	<-reported
	w.tearDown()
}

func (w *worker) String() string { return w.pod.Namespace + "/" + w.pod.Name }

func (w *worker) object() *corev1.Pod {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pod
}

// update takes a newer version of the object: its metadata may be in volumes, its conditions open gates.
func (w *worker) update(pod *corev1.Pod) {
	w.mu.Lock()
	gates := len(pod.Spec.ReadinessGates) > 0
	w.pod = pod.DeepCopy()
	w.mu.Unlock()
	if gates {
		w.changed()
	}
}

func (w *worker) facts() podspec.Facts {
	w.mu.Lock()
	defer w.mu.Unlock()
	facts := podspec.Facts{
		HostIP: w.options.NodeIP.String(), NodeName: w.options.NodeName,
		// There are no limits here. A program that sizes itself by them should do so modestly.
		CPUs: resource.MustParse("2"), Memory: resource.MustParse("8Gi"),
	}
	if w.address.IsValid() {
		facts.PodIP = w.address.String()
	}
	return facts
}

func (w *worker) setUp() error {
	if err := os.MkdirAll(filepath.Join(w.folder, "logs"), 0o755); err != nil {
		return err
	}
	if err := w.connect(); err != nil {
		return err
	}
	w.changed()
	// As with a kubelet, a pod waits for the Secrets and ConfigMaps that it mounts.
	if !w.fillVolumes() {
		return nil
	}
	go w.refreshVolumes()
	return w.startContainers()
}

func (w *worker) connect() error {
	if w.pod.Spec.HostNetwork {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.address = w.options.NodeIP
		return nil
	}
	address, err := w.options.Addresses.Get()
	if err != nil {
		return err
	}
	connected, err := sandbox.New(string(w.pod.UID), address, w.options.NodeIP)
	if err != nil {
		w.options.Addresses.Put(address)
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.address, w.sandbox = address, connected
	return nil
}

func (w *worker) tearDown() {
	w.terminateAll()
	w.supervisors.Wait()
	if w.sandbox != nil {
		w.sandbox.Close()
		address := w.address
		time.AfterFunc(addressRest, func() { w.options.Addresses.Put(address) })
	}
	if err := os.RemoveAll(w.folder); err != nil {
		log.Printf("%s: %v", w, err)
	}
}
