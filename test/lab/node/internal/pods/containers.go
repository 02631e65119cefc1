package pods

import (
	"context"
	"errors"
	"log"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gatewright.dev/lab/node/internal/container"
	"gatewright.dev/lab/node/internal/images"
	"gatewright.dev/lab/node/internal/podspec"
	"gatewright.dev/lab/node/internal/podstatus"
)

var errInitFailed = errors.New("an init container failed")

// startContainers runs init containers one after the other, then starts all others.
func (w *worker) startContainers() error {
	var stopSidecars context.CancelFunc
	w.sidecars, stopSidecars = context.WithCancel(w.ctx)
	for _, m := range w.members {
		var err error
		switch m.state.Kind {
		case podstatus.Init:
			err = w.initialize(m)
		case podstatus.Sidecar:
			err = w.startSidecar(m)
		case podstatus.Regular:
		}
		if err != nil {
			stopSidecars()
			return err
		}
	}
	w.mu.Lock()
	w.initialized = true
	w.mu.Unlock()
	for _, m := range w.members {
		if m.state.Kind != podstatus.Regular {
			continue
		}
		w.regulars.Add(1)
		w.supervisors.Add(1)
		go func() {
			defer w.supervisors.Done()
			defer w.regulars.Done()
			w.supervise(w.ctx, m)
		}()
	}
	w.supervisors.Add(1)
	go func() {
		defer w.supervisors.Done()
		w.regulars.Wait()
		stopSidecars()
		// The pod ends otherwise: then whoever ends it ends them.
		if w.ctx.Err() == nil {
			w.terminateSidecars(time.Now().Add(w.grace()))
		}
	}()
	return nil
}

// initialize runs an init container until it has succeeded.
func (w *worker) initialize(m *member) error {
	for delay := firstDelay; ; delay = nextDelay(delay, 0) {
		w.supervisors.Add(1)
		succeeded := w.runOnce(m)
		w.supervisors.Done()
		switch {
		case w.ctx.Err() != nil:
			return w.ctx.Err()
		case succeeded:
			return nil
		case w.pod.Spec.RestartPolicy == corev1.RestartPolicyNever:
			w.mu.Lock()
			w.initFailed = true
			w.mu.Unlock()
			w.changed()
			return errInitFailed
		}
		if !w.rest(w.ctx, m, delay) {
			return w.ctx.Err()
		}
	}
}

// startSidecar returns when the sidecar has started, as far as its startup probe knows.
func (w *worker) startSidecar(m *member) error {
	w.supervisors.Add(1)
	go func() {
		defer w.supervisors.Done()
		w.supervise(w.sidecars, m)
	}()
	for {
		w.mu.Lock()
		started := m.state.Running && m.state.Started
		w.mu.Unlock()
		if started {
			return nil
		}
		select {
		case <-w.ctx.Done():
			return w.ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// supervise runs a container again and again, as far as the pod's restart policy has it.
func (w *worker) supervise(ctx context.Context, m *member) {
	delay := firstDelay
	for ctx.Err() == nil {
		started := time.Now()
		succeeded := w.runOnce(m)
		if ctx.Err() != nil || !again(w.pod.Spec.RestartPolicy, m.state.Kind, succeeded) {
			return
		}
		if !w.rest(ctx, m, delay) {
			return
		}
		delay = nextDelay(delay, time.Since(started))
	}
}

// rest waits before the next run.
func (w *worker) rest(ctx context.Context, m *member, delay time.Duration) bool {
	w.mu.Lock()
	// Whatever kept it from starting is more to the point.
	if m.state.Waiting == nil {
		m.state.Waiting = waiting("CrashLoopBackOff", "")
	}
	w.mu.Unlock()
	w.changed()
	select {
	case <-ctx.Done():
		return false
	case <-time.After(delay):
		return true
	}
}

// runOnce runs a container to its end, and says whether it ended well.
func (w *worker) runOnce(m *member) bool {
	spec, reason, err := w.prepare(m)
	if err != nil {
		log.Printf("%s/%s: %v", w, m.spec.Name, err)
		w.setWaiting(m, reason, err)
		return false
	}
	process, err := container.Start(spec, container.KeepLogs(m.logFile))
	if err != nil {
		log.Printf("%s/%s: %v", w, m.spec.Name, err)
		w.setWaiting(m, "RunContainerError", err)
		return false
	}
	w.started(m, process)
	probing, stopProbing := context.WithCancel(w.ctx)
	w.probe(probing, m, process)
	<-process.Done()
	stopProbing()
	return w.ended(m, process)
}

// prepare says how to run a container, or with which reason it has to wait.
func (w *worker) prepare(m *member) (spec container.Spec, reason string, err error) {
	pod, facts := w.object(), w.facts()
	image, err := images.Find(w.options.ImagesFile, m.spec.Image)
	if err != nil {
		return spec, "ErrImagePull", err
	}
	variables, err := podspec.Environment(pod, m.spec, facts, w)
	if err != nil {
		return spec, "CreateContainerConfigError", err
	}
	spec, err = podspec.Container(pod, m.spec, image, variables, facts, w.options.Node, w.folder)
	if err != nil {
		return spec, "CreateContainerConfigError", err
	}
	if err := makeSubPaths(spec.Mounts); err != nil {
		return spec, "CreateContainerConfigError", err
	}
	if w.sandbox != nil {
		spec.NetworkNamespace = w.sandbox.NetworkNamespace()
	}
	return spec, "", nil
}

func (w *worker) setWaiting(m *member, reason string, err error) {
	w.mu.Lock()
	m.state.Waiting = waiting(reason, err.Error())
	w.mu.Unlock()
	w.changed()
}

func (w *worker) started(m *member, process *container.Process) {
	w.mu.Lock()
	if m.state.Ended != nil {
		m.state.Restarts++
	}
	m.running = process
	m.state.ID = processID(process)
	m.state.Running, m.state.StartedAt, m.state.Waiting = true, time.Now(), nil
	m.state.Started = m.spec.StartupProbe == nil
	m.state.Ready = m.state.Started && m.spec.ReadinessProbe == nil
	stopping := w.ctx.Err() != nil
	w.mu.Unlock()
	w.changed()
	if stopping {
		// Whoever ends the containers may have been there already.
		process.Kill()
	}
}

func (w *worker) ended(m *member, process *container.Process) bool {
	exit := process.Exit()
	reason := "Completed"
	if exit.Code != 0 {
		reason = "Error"
		if w.ctx.Err() == nil {
			log.Printf("%s/%s ended: %s", w, m.spec.Name, exit.Message)
		}
	}
	w.mu.Lock()
	m.running = nil
	m.state.Running, m.state.Started, m.state.Ready = false, false, false
	m.state.Ended = &corev1.ContainerStateTerminated{
		ExitCode: int32(exit.Code), Reason: reason, ContainerID: processID(process),
		StartedAt: metav1.NewTime(m.state.StartedAt), FinishedAt: metav1.Now(),
	}
	w.mu.Unlock()
	w.changed()
	return exit.Code == 0
}

func (w *worker) process(m *member) *container.Process {
	w.mu.Lock()
	defer w.mu.Unlock()
	return m.running
}
