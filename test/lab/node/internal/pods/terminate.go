package pods

import (
	"context"
	"log"
	"slices"
	"sync"
	"time"

	"gatewright.dev/lab/node/internal/container"
	"gatewright.dev/lab/node/internal/podstatus"
	"gatewright.dev/lab/node/internal/probes"
)

// A container has at least this long after its preStop hook, as with a kubelet.
const leastGrace = 2 * time.Second

func (w *worker) grace() time.Duration { return graceOf(w.object(), w.options.MaxGrace) }

// terminateAll ends all containers: sidecars after the others, the last started first.
// https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/#sidecar-containers-and-pod-lifecycle
func (w *worker) terminateAll() {
	deadline := time.Now().Add(w.grace())
	var ended sync.WaitGroup
	for _, m := range w.members {
		if m.state.Kind != podstatus.Sidecar {
			ended.Go(func() { w.terminate(m, deadline) })
		}
	}
	ended.Wait()
	w.terminateSidecars(deadline)
}

func (w *worker) terminateSidecars(deadline time.Time) {
	for _, m := range slices.Backward(w.members) {
		if m.state.Kind == podstatus.Sidecar {
			w.terminate(m, deadline)
		}
	}
}

// terminate asks a container to end, and ends it if it has not done so by the deadline.
func (w *worker) terminate(m *member, deadline time.Time) {
	process := w.process(m)
	if process == nil {
		return
	}
	w.preStop(m, process, deadline)
	process.Terminate()
	timer := time.NewTimer(max(time.Until(deadline), leastGrace))
	defer timer.Stop()
	select {
	case <-process.Done():
		return
	case <-timer.C:
	case <-w.hurry.Done():
	}
	process.Kill()
	<-process.Done()
}

func (w *worker) preStop(m *member, process *container.Process, deadline time.Time) {
	if m.spec.Lifecycle == nil || m.spec.Lifecycle.PreStop == nil {
		return
	}
	ctx, cancel := context.WithDeadline(w.hurry, deadline)
	defer cancel()
	var err error
	switch hook := m.spec.Lifecycle.PreStop; {
	case hook.Sleep != nil:
		select {
		case <-time.After(time.Duration(hook.Sleep.Seconds) * time.Second):
		case <-process.Done():
		case <-ctx.Done():
		}
	case hook.Exec != nil:
		err = w.target(m, process).Exec(ctx, hook.Exec)
	case hook.HTTPGet != nil:
		err = w.target(m, process).HTTPGet(ctx, hook.HTTPGet)
	}
	if err != nil {
		log.Printf("%s/%s: preStop: %v", w, m.spec.Name, err)
	}
}

func (w *worker) target(m *member, process *container.Process) probes.Target {
	return probes.Target{Address: w.facts().PodIP, Ports: m.spec.Ports, Command: process.Command}
}
